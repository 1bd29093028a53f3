//go:build !unheapdebug

package rows

// A guard watches one table for misuse. In ordinary builds it does nothing and
// takes no space.
type guard[R any] struct{}

// A Scope is the time between a BeginRead and its EndRead.
type Scope struct{}

// Check panics, in debug builds, if the scope has ended.
func (Scope) Check() {}

func newGuard[R any]() guard[R] { return guard[R]{} }

func (guard[R]) beginRead() Scope         { return Scope{} }
func (guard[R]) endRead(Scope)            {}
func (guard[R]) beginWrite()              {}
func (guard[R]) endWrite()                {}
func (guard[R]) removed(uint32, uint32)   {}
func (guard[R]) misused(Handle[R], error) {}
