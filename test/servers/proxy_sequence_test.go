//go:build servers

package servers

import (
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// step is a command that a client sends over one of its connections: 2*i and 2*i+1 are connections to proxy i.
type step struct {
	connection int
	request
	fixed bool // is set if the steps that follow need it
}

// sequence is what a client sends. The commands that follow each other on one connection are sent without waiting for responses, and may be
// split at any byte.
type sequence struct {
	steps []step
	seed  uint64 // of the places where the commands are split
}

// exchanges returns the commands that are sent without waiting for responses.
func (s sequence) exchanges() [][]step {
	var all [][]step
	for i, each := range s.steps {
		if i == 0 || each.alone || s.steps[i-1].alone || s.steps[i-1].connection != each.connection {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], each)
	}
	return all
}

// fence is the last response of each exchange.
const fence = "EN Ofence\r\n"

// to connects to one address.
func to(address string, config *tls.Config) func(int) (net.Conn, error) {
	return func(int) (net.Conn, error) { return dial(address, config) }
}

// play sends a sequence, and returns the responses of each exchange.
func (s sequence) play(connect func(connection int) (net.Conn, error)) []string {
	var all []string
	random := rand.New(rand.NewPCG(s.seed, 0))
	connections := map[int]net.Conn{}
	for _, exchange := range s.exchanges() {
		at := exchange[0].connection
		if connections[at] == nil {
			connection, err := connect(at)
			if err != nil {
				return append(all, err.Error())
			}
			defer connection.Close()
			connections[at] = connection
		}
		text := strings.Builder{}
		for _, each := range exchange {
			text.WriteString(each.text())
		}
		all = append(all, talk(connections[at], named(text.String())+"mn\r\nmg none Ofence\r\n", random))
	}
	return all
}

// talk sends commands in pieces, and returns the responses up to the fence.
func talk(connection net.Conn, commands string, random *rand.Rand) string {
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err.Error()
	}
	var pieces []string
	for rest := commands; rest != ""; rest = rest[len(pieces[len(pieces)-1]):] {
		piece := len(rest)
		if random.IntN(3) == 0 {
			piece = 1 + random.IntN(piece)
		}
		pieces = append(pieces, rest[:piece])
	}
	go func() { // concurrently, because a server that cannot write stops reading
		for _, piece := range pieces {
			if _, err := io.WriteString(connection, piece); err != nil {
				return
			}
		}
	}()
	var responses []byte
	buffer := make([]byte, 64<<10)
	for !strings.HasSuffix(string(responses[max(0, len(responses)-len(fence)):]), fence) {
		n, err := connection.Read(buffer)
		responses = append(responses, buffer[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return string(responses) + "(nothing for 10 s)"
		}
		if err != nil {
			return string(responses) + "(closed)"
		}
	}
	return string(responses)
}

// runs is the number of sequences so far, and part of the names of their keys.
var runs int

var placeholder = regexp.MustCompile(`\{([a-z]\d)\}`)

// named gives keys names that no other sequence has.
func named(commands string) string {
	return placeholder.ReplaceAllStringFunc(commands, func(key string) string {
		name := fmt.Sprintf("%s-%d", key[1:3], runs)
		switch key[1] {
		case 'b':
			return base64.StdEncoding.EncodeToString([]byte("\x00 " + name))
		case 'l', 'x':
			return name + strings.Repeat(key[1:2], 250-len(name)+strings.Count(key, "x"))
		}
		return name
	})
}

// shortest removes steps as long as there is a difference, and describes what is left. Each try has other keys, which may not move.
func (s sequence) shortest(difference string, check func(sequence) string) string {
	const tries = 10
	for i, n := 0, 0; i < len(s.steps); n++ {
		if s.steps[i].fixed && i < len(s.steps)-1 {
			i, n = i+1, 0
			continue
		}
		fewer := sequence{slices.Delete(slices.Clone(s.steps), i, i+1), s.seed}
		if left := check(fewer); left != "" {
			s, difference, i, n = fewer, left, 0, 0
		} else if n == tries {
			i, n = i+1, 0
		}
	}
	text := strings.Builder{}
	for i, exchange := range s.exchanges() {
		for _, each := range exchange {
			fmt.Fprintf(&text, "\n%d proxy %d, connection %d: %s", i+1, each.connection/2, each.connection%2, brief(each.text()))
		}
	}
	return difference + text.String()
}

func brief(text string) string {
	if len(text) > 300 {
		return fmt.Sprintf("%.150q (%d bytes) %q", text, len(text), text[len(text)-100:])
	}
	return fmt.Sprintf("%q", text)
}
