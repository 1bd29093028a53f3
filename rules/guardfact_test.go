package rules

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestGuards(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Guards, "guards/...")
}
