//go:build servers

package servers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
)

// replay has two servers, and a proxy for each client, phase and direction.
type replay struct {
	*testing.T
	servers []*client
	to      []string
	proxies map[string]*replayProxy
	trace   []string
}

// replayProxy is the proxy of one client.
type replayProxy struct {
	server
	client  *client
	arrived chan *heldRequest
	replied chan string
	held    *heldRequest
}

func newReplay(t *testing.T) *replay {
	t.Helper()
	r := &replay{T: t, proxies: map[string]*replayProxy{}}
	for _, each := range startServers(t, 2) {
		r.to = append(r.to, each.address)
		c := dialClient(t, each.address)
		c.must(t, strings.Repeat("ms other 0\r\n\r\n", 1000)) // so that the server gives no item a CAS unique of the model
		r.servers = append(r.servers, c)
	}
	return r
}

// movingKey is on the second of two servers.
const movingKey = "k"

// play runs a schedule. It returns the schedule with the responses and the items of memcached.
func (r *replay) play(s schedule) schedule {
	r.Helper()
	r.trace = nil
	servers := r.servers // from, to
	if !s.Grow {
		servers = []*client{servers[1], servers[0]}
	}
	for i, each := range s.Before {
		servers[i].must(r, each.command())
	}
	s.Clients = slices.Clone(s.Clients)
	uniques := make([]string, len(s.Clients)) // that the clients have seen last
	for i := range s.Clients {
		s.Clients[i].Responses, uniques[i] = []string{}, "7"
	}
	for _, number := range s.Order {
		n := max(number, -number)
		c := &s.Clients[n-1]
		p := r.proxy(n, c.Phase, s.Grow)
		if p.held == nil {
			if len(c.Responses) == len(c.Commands) {
				r.trace = append(r.trace, fmt.Sprintf("client %d has no command left", n))
				return s
			}
			p.start(strings.ReplaceAll(c.Commands[len(c.Responses)], "{unique}", uniques[n-1]))
			r.wait(p, c)
		}
		switch {
		case p.held == nil: // the command needed no server
		case number < 0:
			r.end(p)
			delete(r.proxies, r.name(n, c.Phase, s.Grow))
		default:
			r.trace = append(r.trace, fmt.Sprintf("client %d: %s", n, p.held.line))
			close(p.held.release)
			r.wait(p, c)
		}
		if p.held == nil && len(c.Responses) > 0 {
			if found := unique.FindStringSubmatch(c.Responses[len(c.Responses)-1]); found != nil {
				uniques[n-1] = found[2]
			}
		}
	}
	s.normalize()
	for i := range s.After {
		s.After[i] = r.item(servers[i], s.After[i])
	}
	return s
}

func (r *replay) name(client int, phase string, grow bool) string {
	return fmt.Sprint(client, phase, grow)
}

// proxy returns the proxy of a client, which runs.
func (r *replay) proxy(client int, phase string, grow bool) *replayProxy {
	r.Helper()
	name := r.name(client, phase, grow)
	if r.proxies[name] == nil {
		p := &replayProxy{arrived: make(chan *heldRequest, 16), replied: make(chan string, 16)}
		var through []string
		for _, each := range r.to {
			through = append(through, startRelay(r, each, p.arrived).address())
		}
		from, to := through[:1], through
		if !grow {
			from, to = to, from
		}
		p.server = startConfigured(r, configBetween(phase, from, to), "-t", "1")
		p.client = dialClient(r, p.address)
		r.proxies[name] = p
	}
	return r.proxies[name]
}

// configBetween returns the configuration of a proxy in a phase of a change of size, or before or after it.
func configBetween(phase string, from, to []string) string {
	switch phase {
	case "before":
		return phaseConfig(moves.Steady, from, from)
	case "after":
		return phaseConfig(moves.Steady, to, to)
	}
	return phaseConfig(moves.ProxyPhase(phase), from, to)
}

// start sends a command without waiting.
func (p *replayProxy) start(command string) {
	go func() {
		responses, err := p.client.do(command)
		text := strings.Builder{}
		for _, each := range responses {
			text.WriteString(each.line + "\r\n")
			if strings.HasPrefix(each.line, "VA") {
				text.WriteString(each.value + "\r\n")
			}
		}
		if err != nil {
			text.WriteString(err.Error())
		}
		p.replied <- text.String()
	}()
}

// wait returns when the proxy needs a server again, or has responded to the client.
func (r *replay) wait(p *replayProxy, c *replayClient) {
	r.Helper()
	p.held = nil
	select {
	case p.held = <-p.arrived:
	case response := <-p.replied:
		c.Responses = append(c.Responses, response)
	case <-time.After(10 * time.Second):
		r.Fatalf("the proxy sent neither a request nor a response:\n%s", strings.Join(r.trace, "\n"))
	}
}

// end kills a proxy after a server has executed its request, and before the response.
func (r *replay) end(p *replayProxy) {
	r.Helper()
	r.trace = append(r.trace, "the proxy ends after "+p.held.line)
	p.held.relay.mute.Store(true)
	close(p.held.release)
	select {
	case <-p.held.relay.responses:
	case <-time.After(10 * time.Second):
		r.Fatal("a server did not respond")
	}
	if err := p.Kill(); err != nil {
		r.Fatal(err)
	}
}
