package rules

import (
	"go/types"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestGuards checks the conditions by the want comments of the fixture, and
// for some functions all that is known.
func TestGuards(t *testing.T) {
	want := map[string]*GuardFact{
		"Debug2": {
			Cond: "$0.Level >= ${guards/logger}DebugLevel", Level: "${guards/logger}DebugLevel",
			Params: []int{0, 1, 2}, Known: true, DerefsReceiver: true,
		},
		"Infof": {
			Cond: "$0.IsEnabled(${guards/logger}InfoLevel)", Level: "${guards/logger}InfoLevel",
			Params: []int{0, 1}, Known: true,
		},
		"Hiddenf": {
			Cond: "$0.sink.Enabled(${guards/logger}DebugLevel)", Level: "${guards/logger}DebugLevel",
			Params: []int{0, 1}, DerefsReceiver: true, Unexported: []string{"guards/logger.sink"},
		},
		"Nilf":    {Cond: "$0 != nil && $0.Nested.On", Params: []int{0, 1}, Known: true},
		"Sampled": nil,
		"Kept":    nil,
	}
	for _, r := range analysistest.Run(t, analysistest.TestData(), Guards, "guards/...") {
		if r.Action.Package.Name != "logger" {
			continue
		}
		guard := r.Action.Result.(GuardFunc)
		logger := r.Action.Package.Types.Scope().Lookup("Logger").Type()
		for name, want := range want {
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(logger), true, nil, name)
			got := guard(obj.(*types.Func))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		hidden, _, _ := types.LookupFieldOrMethod(types.NewPointer(logger), true, nil, "Hiddenf")
		g := guard(hidden.(*types.Func))
		if !g.ExpressibleIn("guards/logger") || g.ExpressibleIn("guards") {
			t.Errorf("a condition with %v can be stated in the wrong packages", g.Unexported)
		}
	}
}
