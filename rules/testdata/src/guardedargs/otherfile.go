package guardedargs

func unimported(p *partitioner, n int) {
	p.log.Debugf("%d", n) // safe // want `arguments of Debugf are boxed`
}
