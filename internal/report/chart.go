package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/unheap/unheap/gctrace"
)

// A tint is a colour of a chart on light and on dark ground.
type tint struct{ light, dark color.RGBA }

func rgb(c uint32) color.RGBA {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
}

// A palette is the colours of a chart, each other than all the others: the
// dark ones are set by the light ones they stand for.
type palette struct{ ground, ink, grid, heap, goal, live, load tint }

func newPalette() palette {
	return palette{
		ground: tint{rgb(0xFFFFFF), rgb(0x0D1117)},
		ink:    tint{rgb(0x24292F), rgb(0xC9D1D9)},
		grid:   tint{rgb(0xD8DEE4), rgb(0x30363D)},
		heap:   tint{rgb(0x8250DF), rgb(0xBC8CFF)},
		goal:   tint{rgb(0xBF5B04), rgb(0xF0883E)},
		live:   tint{rgb(0x0969DA), rgb(0x58A6FF)},
		load:   tint{rgb(0xCF222E), rgb(0xFF7B72)},
	}
}

// style returns the style sheet that sets the dark colours. Without support
// for it the light ones stay.
func (p palette) style() string {
	var b bytes.Buffer
	b.WriteString("<style>@media (prefers-color-scheme: dark) {\n")
	for _, t := range []tint{p.ground, p.ink, p.grid, p.heap, p.goal, p.live, p.load} {
		for _, property := range []string{"fill", "stroke"} {
			fmt.Fprintf(&b, "[style*=\"%s:%s\"] { %[1]s: %[3]s !important }\n", property, hex(t.light), hex(t.dark))
		}
	}
	b.WriteString("}</style>\n")
	return b.String()
}

// hex writes a colour as vgsvg does.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

const (
	chartWidth  = 760 // points
	chartHeight = 420
)

// Chart draws a process's heap and GC CPU over time as an SVG document that
// needs nothing else: no font, script or style from elsewhere.
func Chart(w io.Writer, p *gctrace.Process) error {
	colours := newPalette()
	h := newHistory(p)
	title := fmt.Sprintf("process %d", p.Process)
	if p.Package != "" {
		title += " " + fit(Clean(p.Package), 60)
	}
	title += fmt.Sprintf(": gc %d to gc %d", p.Summary.FirstSeq, p.Summary.LastSeq)

	heap := newPlot(colours)
	heap.Title.Text = title
	heap.Y.Label.Text = "heap, MiB"
	const mib = 1 << 20
	series := []struct {
		name   string
		colour color.Color
		xs     []float64
		dashes []vg.Length
	}{
		{"goal", colours.goal.light, h.goal, []vg.Length{4, 3}},
		{"largest", colours.heap.light, h.heap, nil},
		{"live after a cycle", colours.live.light, h.live, nil},
	}
	if !h.clocked {
		series = series[1:] // these formats have no goal
	}
	for _, s := range series {
		l, err := h.steps(s.xs, mib)
		if err != nil {
			return err
		}
		l.LineStyle = draw.LineStyle{Color: s.colour, Width: vg.Points(1.5), Dashes: s.dashes}
		heap.Add(l)
		heap.Legend.Add(s.name, l)
	}
	heap.Legend.Top = true
	heap.Legend.Left = true

	load := newPlot(colours)
	load.X.Label.Text, load.Y.Label.Text = "seconds since the start", "GC CPU, % of all"
	unit := 0.01
	if !h.clocked {
		load.X.Label.Text, load.Y.Label.Text, unit = "cycle", "longest stop, ms", 1e6
	}
	l, err := h.steps(h.load, unit)
	if err != nil {
		return err
	}
	l.LineStyle = draw.LineStyle{Color: colours.load.light, Width: vg.Points(1.5)}
	load.Add(l)
	for _, p := range []*plot.Plot{heap, load} {
		p.Y.Min = 0
		p.Y.Max = max(p.Y.Max*1.08, 1)
	}

	canvas := vgsvg.New(chartWidth, chartHeight)
	whole := draw.New(canvas)
	whole.SetColor(colours.ground.light)
	whole.Fill(whole.Rectangle.Path())
	rows := draw.Tiles{Rows: 2, Cols: 1, PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 16, PadY: 8}
	canvases := plot.Align([][]*plot.Plot{{heap}, {load}}, rows, whole)
	heap.Draw(canvases[0][0])
	load.Draw(canvases[1][0])
	return writeSVG(w, canvas, title, colours)
}

// steps returns a series as a stair: each value holds for the whole of its step.
func (h history) steps(xs []float64, unit float64) (*plotter.Line, error) {
	points := make(plotter.XYs, 0, len(xs)+1)
	for i, x := range xs {
		points = append(points, plotter.XY{X: h.start + float64(i)*h.step, Y: x / unit})
	}
	if n := len(points); n > 0 {
		points = append(points, plotter.XY{X: points[n-1].X + h.step, Y: points[n-1].Y})
	}
	l, err := plotter.NewLine(points)
	if err != nil {
		return nil, fmt.Errorf("the timeline cannot be drawn: %w", err)
	}
	l.StepStyle = plotter.PostStep
	return l, nil
}

func newPlot(colours palette) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	p.Title.TextStyle.Font = font.From(sans, 12)
	p.Title.TextStyle.Color = colours.ink.light
	p.Title.Padding = 6
	p.Legend.TextStyle.Font = font.From(sans, 9)
	p.Legend.TextStyle.Color = colours.ink.light
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = colours.ink.light, colours.ink.light
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = font.From(sans, 10), colours.ink.light
		a.Tick.Label.Font, a.Tick.Label.Color = font.From(sans, 9), colours.ink.light
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = colours.grid.light, colours.grid.light
	p.Add(grid)
	return p
}

// writeSVG writes the drawing with what vgsvg has no words for: a title for
// those who listen, the colours of a dark page, and fonts like the one that the
// text was measured with.
func writeSVG(w io.Writer, canvas *vgsvg.Canvas, title string, colours palette) error {
	var drawing, head bytes.Buffer
	if _, err := canvas.WriteTo(&drawing); err != nil {
		return err
	}
	head.WriteString("<title>")
	if err := xml.EscapeText(&head, []byte(title)); err != nil {
		return err
	}
	head.WriteString("</title>\n" + colours.style())
	svg := bytes.ReplaceAll(drawing.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	start, rest, ok := bytes.Cut(svg, []byte("<g "))
	if !ok {
		return fmt.Errorf("the chart cannot be written: its drawing is empty")
	}
	for _, part := range [][]byte{start, head.Bytes(), []byte("<g "), rest} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
