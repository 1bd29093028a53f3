package run

// Progress is told how far long work has come: the stage in a few words, and
// how many of its total steps are done (total 0: not known). It may be called
// often and from several goroutines. A nil Progress is not to be called.
type Progress func(stage string, done, total int)
