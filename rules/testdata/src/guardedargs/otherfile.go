package guardedargs

func unimported(p *partitioner, n int) {
	p.log.Debugf("%d", n) // want `arguments of Debugf are boxed`
}
