package scaling

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// phases are the phases in status in which the proxies have a phase of their own.
var phases = map[Phase]v1alpha1.ResizePhase{
	Preparing: v1alpha1.ResizePreparing,
	Warming:   v1alpha1.ResizeWarmingUp,
	Closing:   v1alpha1.ResizeClosing,
}

// RecordedRoutes returns the routes of the last decision; the zero value if status was lost or edited.
func RecordedRoutes(status *v1alpha1.ProxyStatus) Routes {
	if status == nil {
		return Routes{}
	}
	routes := steady(status.ServingServers, 0)
	if status.DecreaseAfter != nil {
		routes.MarksEnd = status.DecreaseAfter.Unix()
	}
	if resize := status.Resize; resize != nil {
		for phase, recorded := range phases {
			if resize.Phase == recorded {
				routes.From, routes.To, routes.Phase = List{Count: resize.From}, List{Count: resize.To}, phase
			}
		}
	}
	if !routes.valid() {
		return Routes{}
	}
	return routes
}

// record returns the status that [RecordedRoutes] reads.
func record(routes Routes, existing int32) *v1alpha1.ProxyStatus {
	status := &v1alpha1.ProxyStatus{ServingServers: routes.Used(), SecondServers: routes.Second(), Resize: resizeOf(routes, existing)}
	if routes.MarksEnd != 0 {
		status.DecreaseAfter = new(metav1.Unix(routes.MarksEnd, 0))
	}
	return status
}

// resizeOf returns the change that proxies with these routes are part of; nil if there is none.
func resizeOf(routes Routes, existing int32) *v1alpha1.ResizeStatus {
	resize := &v1alpha1.ResizeStatus{From: routes.From.Count, To: routes.To.Count, Phase: phases[routes.Phase]}
	if routes.Phase != Steady {
		return resize
	}
	if existing <= resize.To {
		return nil
	}
	resize.From, resize.Phase = existing, v1alpha1.ResizeRemovingServers
	return resize
}

// setResize sets the phase of a change in which the proxies have no phase. Status always has the phase of the proxies.
func (p *Plan) setResize(phase v1alpha1.ResizePhase, from, to int32) {
	if p.Routes.Phase == Steady {
		p.Proxy.Resize = &v1alpha1.ResizeStatus{From: from, To: to, Phase: phase}
	}
}

// marksEnd returns the Unix time in seconds until which the marks of a warm-up that begins now may last.
func (s State) marksEnd() int64 {
	return seconds(s.Now.Add(s.Proxies.Warmup + rolloutTime + s.MaxClockSkew)).Unix()
}

// untilMarksEnd returns the time until no server has a mark.
func (c change) untilMarksEnd() time.Duration {
	return max(time.Unix(c.routes.MarksEnd, 0).Add(c.MaxClockSkew).Sub(c.Now), 0)
}
