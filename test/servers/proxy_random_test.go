//go:build servers

package servers

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// casOf marks the place of the last CAS unique of a key in a command, which differs from server to server.
func casOf(key string) string { return "{" + key + "}" }

// withCAS fills in the CAS uniques that a client knows.
func (c *client) withCAS(commands string) string {
	for {
		before, rest, found := strings.Cut(commands, "{")
		if !found {
			return commands
		}
		key, after, _ := strings.Cut(rest, "}")
		unique := c.cas[key]
		if unique == "" {
			unique = "4000000000"
		}
		commands = before + unique + after
	}
}

// generator returns random commands. The first letter of a key is what the generator does with it: w any command, n only
// numbers, b meta commands with a key in base64, s commands that mark items as stale or as being recached.
type generator struct{ *rand.Rand }

func (g generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g generator) some(options ...string) string {
	var all []string
	for _, option := range options {
		if option != "" && g.IntN(3) == 0 {
			all = append(all, option)
		}
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return strings.Join(append([]string{""}, all...), " ")
}

func (g generator) ttl() string {
	return g.pick("0", "0", "0", "1000", "5000", "86400", "2592001", "2000000000", "-1")
}

func (g generator) value() string {
	length := g.IntN(40)
	switch g.IntN(400) {
	case 0:
		length = 300_000
	case 1, 2, 3:
		length = 20_000
	}
	return strings.Repeat(strconv.Itoa(g.IntN(1000)), length)
}

// command returns a command for a key.
func (g generator) command(key string) string {
	switch {
	case key[0] == 'n':
		return g.number(key)
	case key[0] == 'b' || key[0] == 's' || g.IntN(2) == 0:
		return g.meta(key)
	}
	return g.text(key)
}

func (g generator) text(key string) string {
	quiet := g.pick("", "", "", " noreply")
	switch verb := g.pick("get", "get", "get", "gets", "gat", "gats", "set", "set", "add", "replace", "append", "prepend", "cas", "touch", "delete"); verb {
	case "get", "gets":
		return verb + " " + key + "\r\n"
	case "gat", "gats":
		return verb + " " + g.ttl() + " " + key + "\r\n"
	case "touch":
		return "touch " + key + " " + g.ttl() + quiet + "\r\n"
	case "delete":
		return "delete " + key + quiet + "\r\n"
	case "cas":
		value := g.value()
		return fmt.Sprintf("cas %s %d %s %d %s%s\r\n%s\r\n", key, g.IntN(100), g.ttl(), len(value), g.pick(casOf(key), casOf(key), "4000000000"), quiet, value)
	default:
		value := g.value()
		return fmt.Sprintf("%s %s %d %s %d%s\r\n%s\r\n", verb, key, g.IntN(100), g.ttl(), len(value), quiet, value)
	}
}

// number returns a command for a key with numbers. They keep their length, because memcached pads a number that becomes
// shorter with spaces unless another command holds the item. Nor have they the flag T of ma, which is lost if another command
// holds the item.
func (g generator) number(key string) string {
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("set %s 0 0 7\r\n%d\r\n", key, 5_000_000+g.IntN(1000))
	case 1:
		return fmt.Sprintf("add %s 3 1000 7\r\n%d\r\n", key, 5_000_000+g.IntN(1000))
	case 2:
		return g.pick("delete ", "get ", "gets ") + key + "\r\n"
	case 3:
		return fmt.Sprintf("%s %s %d%s\r\n", g.pick("incr", "decr"), key, g.IntN(1000), g.pick("", "", " noreply"))
	default: // without the flag t: with N, memcached returns t-1 although the item expires, and a proxy its TTL
		return "ma " + key + g.some("N1000", "J5000000", "D"+strconv.Itoa(g.IntN(100)), g.pick("MI", "MD", "M+", "M-"), "v", "q", "O"+strconv.Itoa(g.IntN(9)), "C"+casOf(key)) + " c k\r\n"
	}
}

func (g generator) meta(key string) string {
	binary := ""
	modes := []string{"", "", "", "MS", "ME", "ME", "MR", "MA", "MP", "MA N1000", "MP N0"}
	if key[0] == 'b' { // after an append or a removal of the value, memcached returns the key decoded
		binary, modes = " b", modes[:7]
	}
	remove := "x E" + strconv.Itoa(g.IntN(1000)) // without E, only a server without a proxy keeps the CAS unique
	if binary != "" {
		remove = ""
	}
	opaque := "O" + strconv.Itoa(g.IntN(1000))
	special := func(flag string) string {
		if key[0] == 's' {
			return flag
		}
		return ""
	}
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		// Of T, N and R only one: servers run them in their order, proxies T last.
		expiring := g.pick("T"+g.ttl(), special("N1000"), special("R3000"))
		return "mg " + key + binary + " k c" + g.some("v", "s", "f", "t", opaque, "q", expiring) + "\r\n"
	case 4:
		return "md " + key + binary + " k" + g.some("q", opaque, "C"+casOf(key), remove, special("I"), special("T1000")) + "\r\n"
	case 5:
		return "md " + key + binary + " k" + g.some("q", opaque) + "\r\n"
	case 6:
		return "me " + key + binary + "\r\n"
	default:
		value := g.value()
		mode := g.pick(modes...)
		return fmt.Sprintf("ms %s %d%s k c %s%s\r\n%s\r\n", key, len(value), binary, mode,
			g.some("q", opaque, "s", "F"+strconv.Itoa(g.IntN(100)), "T"+g.ttl(), "C"+casOf(key)), value)
	}
}

// keys returns the keys of the generator.
func keys() []string {
	var all []string
	for i := range 120 {
		all = append(all, "w"+strconv.Itoa(i))
		if i%4 == 0 {
			text := base64.StdEncoding.EncodeToString([]byte("m binary " + strconv.Itoa(i))) // begins with b
			all = append(all, "n"+strconv.Itoa(i), text, "s"+strconv.Itoa(i))
		}
	}
	return all
}
