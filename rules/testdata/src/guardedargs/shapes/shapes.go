package shapes

import (
	"guardedargs/shapes/klog"
	"guardedargs/shapes/logrus"
	"guardedargs/shapes/zap"
)

func calls(l logrus.Logger, z *zap.SugaredLogger, n int, log string) {
	l.Debugf("%d", n) // review // want `arguments of Debugf are boxed`
	l.Fatalf("%d", n)
	z.Debugw("x", "n", n)      // review // want `arguments of Debugw are boxed`
	klog.V(4).Infof("%d", n)   // review // want `arguments of Infof are boxed`
	klog.V(4).Infof("%s", log) // review // want `arguments of Infof are boxed`
	if v := klog.V(4); v.Enabled() {
		v.Infof("%d", n)
	}
}
