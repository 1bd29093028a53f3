package diagnose

import (
	"strings"

	"github.com/unheap/unheap/finding"
)

// library says, in one sentence, what a call into the standard library
// allocates and when, for the frames below a site (innermost first). It looks
// from the user's side down, so that the call that the user wrote explains
// itself before its helpers do; "" if it knows none of them.
func library(leaf []finding.Frame) string {
	for i := len(leaf) - 1; i >= 0; i-- {
		name := leaf[i].Function
		if cut := strings.IndexByte(name, '['); cut >= 0 {
			name = name[:cut]
		}
		if text := libraryCall(name); text != "" {
			return text
		}
	}
	return ""
}

func libraryCall(name string) string {
	switch name {
	case "io.Copy", "io.CopyN", "io.copyBuffer", "io.CopyBuffer":
		return "io.Copy allocates a 32 KiB buffer when neither side implements io.WriterTo or io.ReaderFrom"
	case "os.genericReadFrom", "os.genericWriteTo", "os.(*File).ReadFrom", "os.(*File).WriteTo":
		return "copying to or from an *os.File falls back to io.Copy, which allocates a 32 KiB buffer; a buffer given to io.CopyBuffer is ignored"
	case "net.genericReadFrom", "net.genericWriteTo":
		return "copying to or from a network connection falls back to io.Copy, which allocates a 32 KiB buffer"
	case "io.ReadAll":
		return "io.ReadAll starts with 512 bytes and grows by append until the input ends"
	case "os.ReadFile":
		return "os.ReadFile allocates a new slice for the file's contents"
	case "bytes.(*Buffer).grow", "bytes.growSlice", "bytes.(*Buffer).Write", "bytes.(*Buffer).WriteString", "bytes.(*Buffer).WriteByte", "bytes.(*Buffer).WriteRune", "bytes.(*Buffer).Grow":
		return "a bytes.Buffer allocates when it is first written to and doubles when it is full"
	case "bytes.(*Buffer).String":
		return "bytes.Buffer.String copies the contents into a new string"
	case "bytes.(*Buffer).ReadFrom":
		return "bytes.Buffer.ReadFrom grows the buffer until the input ends"
	case "strings.(*Builder).grow", "strings.(*Builder).WriteString", "strings.(*Builder).WriteByte", "strings.(*Builder).WriteRune", "strings.(*Builder).Write", "strings.(*Builder).Grow":
		return "a strings.Builder allocates when it is first written to and doubles when it is full"
	case "fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln":
		return name + " formats into a pooled buffer and copies the result into a new string"
	case "fmt.Errorf":
		return "fmt.Errorf formats its text into a new string and allocates the error that holds it"
	case "fmt.newPrinter":
		return "fmt takes its printers from a pool, which the collector empties"
	case "fmt.Fprintf", "fmt.Fprint", "fmt.Fprintln", "fmt.Appendf", "fmt.Append":
		return name + " grows its pooled buffer, or calls a String, Error or Format method that allocates"
	case "fmt.Sscanf", "fmt.Sscan", "fmt.Fscanf", "fmt.Fscan":
		return name + " allocates a reader for its input and a scan state"
	case "errors.New":
		return "errors.New allocates a new error, different from every other"
	case "errors.Join":
		return "errors.Join allocates an error and the slice that holds its parts"
	case "strings.genSplit", "strings.Split", "strings.SplitN", "strings.Fields", "strings.FieldsFunc", "bytes.genSplit", "bytes.Fields", "bytes.Split":
		return name + " returns a new slice of the parts"
	case "strings.Join", "strings.Repeat", "strings.Replace", "strings.ReplaceAll", "strings.Map", "strings.ToLower", "strings.ToUpper", "strings.Title", "strings.ToValidUTF8",
		"strings.(*Replacer).Replace", "strings.Clone":
		return name + " returns a new string unless there is nothing to change"
	case "bytes.Join", "bytes.Repeat", "bytes.Replace", "bytes.ReplaceAll", "bytes.Map", "bytes.ToLower", "bytes.ToUpper", "bytes.Clone":
		return name + " returns a new slice"
	case "strings.NewReader", "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString", "strings.NewReplacer":
		return name + " returns a pointer to a new value"
	case "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.formatBits":
		return name + " returns a new string, except for small integers"
	case "strconv.Quote", "strconv.QuoteRune", "strconv.QuoteToASCII", "strconv.Unquote", "strconv.unquote":
		return name + " builds a new string"
	case "strconv.syntaxError", "strconv.rangeError", "strconv.baseError":
		return "strconv allocates an error, with a copy of the input, when it cannot parse"
	case "sort.Slice", "sort.SliceStable":
		return name + " boxes the slice and makes a swap function by reflection"
	case "sort.Sort", "sort.Stable":
		return name + " takes an interface, so its argument is boxed"
	case "bufio.NewReader", "bufio.NewReaderSize", "bufio.NewWriter", "bufio.NewWriterSize":
		return name + " allocates a buffer of 4 KiB unless told otherwise"
	case "bufio.(*Scanner).Scan":
		return "a bufio.Scanner allocates a buffer of 4 KiB at its first Scan and doubles it for longer tokens"
	case "bufio.(*Reader).ReadString", "bufio.(*Reader).ReadBytes", "bufio.(*Scanner).Text":
		return name + " returns a copy"
	case "regexp.MustCompile", "regexp.Compile", "regexp.compile":
		return "compiling a regular expression allocates its program; compiled once it can be shared"
	case "context.WithCancel", "context.WithTimeout", "context.WithDeadline", "context.WithValue":
		return name + " returns a new context"
	case "time.NewTimer", "time.After", "time.NewTicker", "time.AfterFunc":
		return name + " allocates a timer and its channel"
	case "time.Time.Format", "time.Time.String":
		return name + " returns a new string"
	case "reflect.New", "reflect.unsafe_New":
		return "reflect.New allocates a value of a type that is known only at run time"
	case "reflect.MakeSlice", "reflect.unsafe_NewArray", "reflect.MakeMapWithSize", "reflect.MakeMap":
		return name + " allocates a value of a type that is known only at run time"
	case "reflect.packEface", "reflect.valueInterface", "reflect.Value.Interface":
		return "reflect.Value.Interface copies a value that is not a pointer into a new box"
	case "reflect.copyVal", "reflect.Value.MapIndex", "reflect.(*MapIter).Key", "reflect.(*MapIter).Value":
		return name + " copies the element into a new box"
	case "reflect.Value.call", "reflect.Value.Call":
		return "reflect.Value.Call allocates the frame, the arguments and the results of the call"
	case "reflect.Value.MapKeys":
		return "reflect.Value.MapKeys returns a new slice of all keys, each boxed"
	case "encoding/json.Marshal":
		return "json.Marshal encodes into a pooled buffer and returns a copy"
	case "encoding/json.Unmarshal", "encoding/json.(*Decoder).Decode":
		return name + " allocates what it decodes, and its own state"
	case "slices.Clone", "slices.Insert", "slices.Concat", "slices.Collect", "slices.Sorted", "maps.Clone", "maps.Collect":
		return name + " returns a new value"
	case "slices.Grow":
		return "slices.Grow allocates when the capacity does not suffice"
	case "sync.(*Pool).Get":
		return "the pool was empty: the collector empties pools, and what is not Put back is missing"
	case "sync.(*Pool).pinSlow", "sync.(*Pool).Put", "sync.(*poolChain).pushHead":
		return "sync.Pool allocates its queues again after the collector has emptied it"
	case "net/url.Parse", "net/url.parse":
		return "url.Parse returns a pointer to a new URL"
	case "net/http.NewRequest", "net/http.NewRequestWithContext":
		return name + " allocates a request, its URL and its headers"
	case "net/textproto.MIMEHeader.Add", "net/textproto.MIMEHeader.Set", "net/http.Header.Add", "net/http.Header.Set":
		return name + " allocates a slice for the value of each new key"
	case "compress/flate.NewWriter", "compress/gzip.NewWriter", "compress/gzip.NewWriterLevel", "compress/zlib.NewWriter":
		return name + " allocates about 800 KiB of tables; Reset reuses them"
	case "compress/flate.NewReader", "compress/gzip.NewReader", "compress/zlib.NewReader":
		return name + " allocates about 40 KiB of window and tables; Reset reuses them"
	case "crypto/sha256.New", "crypto/sha1.New", "crypto/md5.New", "hash/crc32.NewIEEE", "hash/fnv.New32a", "hash/fnv.New64a":
		return name + " returns a pointer to a new hash state; Reset reuses it"
	case "math/big.nat.make", "math/big.NewInt":
		return "math/big allocates the words of each result that does not fit its receiver"
	case "container/list.(*List).PushBack", "container/list.(*List).PushFront", "container/list.(*List).insertValue":
		return "container/list allocates an element, and a box for the value, at each insertion"
	case "text/template.(*Template).Execute", "html/template.(*Template).Execute":
		return "executing a template evaluates it by reflection, which boxes values and arguments"
	case "encoding/binary.Write", "encoding/binary.Read":
		return name + " allocates a buffer at each call and boxes its argument"
	}
	return ""
}
