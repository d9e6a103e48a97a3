//go:build servers

package servers

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// maxItem is the -I of the servers, and so the size of the largest values that they store.
const maxItem = 128 << 10

// request is a command that a client sends.
type request struct {
	words []string
	// value follows the line if stores is set. Its place in the line is the word "{size}".
	value  string
	stores bool
	// spacing and end are what is between the words, and after the last one.
	spacing, end string
	// alone is set if a server may refuse the command with CLIENT_ERROR: the proxy then closes the connection to the server, and other commands
	// that wait on it fail.
	alone bool
}

func (c request) text() string {
	line := strings.ReplaceAll(strings.Join(c.words, c.spacing), "{size}", strconv.Itoa(len(c.value))) + c.end
	if c.stores {
		line += c.value + "\r\n"
	}
	return line
}

// quiet reports whether a meta command may respond or not.
func (c request) quiet() bool {
	return c.words[0][0] == 'm' && slices.ContainsFunc(c.words, func(word string) bool { return word[0] == 'q' })
}

// generator returns random commands. The first letter of a key is what the generator does with it: t any command, n only numbers,
// b meta commands with a key in base64, s commands that mark items as stale or as being recached, l a key of 250 bytes.
type generator struct{ *rand.Rand }

func (g generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g generator) some(options ...string) []string {
	var all []string
	for _, option := range options {
		if option != "" && g.IntN(3) == 0 {
			all = append(all, option)
		}
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (g generator) ttl() string {
	return g.pick("0", "0", "0", "5000", "500000", "2592001", "2000000000", "-1")
}

// unique returns a CAS unique that clients give an item, or that no item has.
func (g generator) unique() string {
	return g.pick("77000000001", "77000000002", "77000000003")
}

func (g generator) value() string {
	length := g.IntN(40)
	switch g.IntN(60) {
	case 0:
		length = g.IntN(3 * maxItem)
	case 1:
		length = maxItem - g.IntN(500)
	case 2, 3:
		length = g.IntN(20_000)
	}
	return strings.Repeat(strconv.Itoa(g.IntN(10)), length)
}

// command returns a command for a key.
func (g generator) command(key string) request {
	c := g.valid(key)
	c.spacing, c.end, c.alone = " ", "\r\n", c.alone || c.removes()
	switch g.IntN(20) {
	case 0:
		c.spacing = "  "
	case 1:
		c.end = g.pick(" ", "   ", "") + g.pick("\r\n", "\n")
	case 2, 3, 4:
		if key[1] != 'n' || !c.stores { // a text there could be counted
			return g.malformed(c)
		}
	}
	return c
}

func (g generator) valid(key string) request {
	switch {
	case key[1] == 'n':
		return g.number(key)
	case key[1] == 'b' || key[1] == 's' || g.IntN(2) == 0:
		return g.meta(key)
	}
	return g.classic(key)
}

func (g generator) classic(key string) request {
	verb := g.pick("get", "get", "gets", "gat", "gats", "set", "set", "add", "replace", "append", "prepend", "cas", "touch", "delete", "incr")
	c := request{words: []string{verb, key}}
	switch verb {
	case "get", "gets":
		c.words = append(c.words, slices.Repeat([]string{key, "{t9}"}, g.IntN(2))...)
		return c
	case "gat", "gats":
		c.words = append([]string{verb, g.ttl(), key}, slices.Repeat([]string{"{t9}", key}, g.IntN(2))...)
		return c
	case "touch":
		c.words = append(c.words, g.ttl())
	case "incr":
		c.words, c.alone = append(c.words, "1"), true
	case "delete":
	default:
		c.words, c.value, c.stores = append(c.words, strconv.Itoa(g.IntN(100)), g.ttl(), "{size}"), g.value(), true
		if verb == "cas" {
			c.words = append(c.words, g.unique())
		}
	}
	c.words = append(c.words, slices.Repeat([]string{"noreply"}, g.IntN(5)/4)...)
	return c
}

// number returns a command for a key with numbers. They keep their length, because memcached pads a number that becomes
// shorter with spaces unless another command holds the item. Nor have they the flags T and E of ma, which are lost if another command
// holds the item.
func (g generator) number(key string) request {
	quiet := slices.Repeat([]string{"noreply"}, g.IntN(5)/4)
	switch number := strconv.Itoa(5_000_000 + g.IntN(1000)); g.IntN(8) {
	case 0:
		return request{words: append([]string{"set", key, "0", "0", "{size}"}, quiet...), value: number, stores: true}
	case 1:
		return request{words: append([]string{"add", key, "3", "5000", "{size}"}, quiet...), value: number, stores: true}
	case 2:
		return request{words: []string{g.pick("delete", "get", "gets"), key}}
	case 3:
		return request{words: append([]string{g.pick("incr", "decr"), key, strconv.Itoa(g.IntN(1000))}, quiet...)}
	default: // without the flag t: with N, memcached returns t-1 although the item expires, and a proxy its TTL
		flags := g.some("N5000", "J5000000", "D"+strconv.Itoa(g.IntN(100)), g.pick("MI", "MD", "M+", "M-"), "v", "q", "k", "c", "O"+strconv.Itoa(g.IntN(9)), "C"+g.unique())
		return request{words: append([]string{"ma", key}, flags...)}
	}
}

func (g generator) meta(key string) request {
	binary, modes := "", []string{"", "", "", "MS", "ME", "ME", "MR", "MA", "MP", "MA N5000", "MP N0"}
	remove := []string{"x", "E" + g.unique()} // without E, only a server without a proxy keeps the CAS unique
	if key[1] == 'b' {                        // after an append or a removal of the value, memcached returns the key decoded
		binary, modes, remove = "b", modes[:7], nil
	}
	special := func(flag string) string {
		if key[1] == 's' {
			return flag
		}
		return ""
	}
	c := request{words: []string{"mg", key, binary}}
	opaque := "O" + strconv.Itoa(g.IntN(1000))
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		// Of T, N and R only one: servers run them in their order, proxies T last.
		expiring := g.pick("T"+g.ttl(), special("N5000"), special("R3000"))
		if key[1] == 's' && strings.HasPrefix(expiring, "T") { // an empty item with a TTL in the past is a miss
			expiring = "T5000"
		}
		c.words = append(c.words, g.some("k", "c", "v", "s", "f", "t", opaque, "q", expiring)...)
		if expiring == "T-1" || expiring == "T2592001" { // mg returns a very large TTL of an item that its flag T expires, a proxy the former one
			c.words = slices.DeleteFunc(c.words, func(word string) bool { return word == "t" })
		}
	case 4:
		c.words[0] = "md"
		c.words = append(c.words, g.some("k", "q", opaque, "C"+g.unique(), special("I"), special("T5000"))...)
		c.words = append(c.words, slices.Repeat(remove, g.IntN(2))...)
	case 5:
		c.words[0] = "md"
		c.words = append(c.words, g.some("k", "q", opaque)...)
	case 6:
		c.words[0] = "me"
	default:
		c.words = append([]string{"ms", key, "{size}", binary}, g.some("k", "c", "q", opaque, "s", "F"+strconv.Itoa(g.IntN(100)), "T"+g.ttl(), "C"+g.unique(), "E"+g.unique())...)
		c.words = append(c.words, strings.Fields(g.pick(modes...))...)
		c.value, c.stores = g.value(), true
	}
	c.words = slices.DeleteFunc(c.words, func(word string) bool { return word == "" })
	return c
}

// key returns the place of the key in a command.
func (c request) key() int {
	if strings.HasPrefix(c.words[0], "gat") {
		return 2
	}
	return 1
}

// harmless returns a command that may be refused. The value is then the next command. After a value of another length, memcached gives
// the E of ms to the next item that the connection stores.
func (c request) harmless() request {
	c.alone, c.words = true, slices.Clone(c.words)
	if c.stores {
		c.value, c.words = "mg none", slices.DeleteFunc(c.words, func(word string) bool { return strings.HasPrefix(word, "E") })
	}
	return c
}

// malformed changes a command so that memcached may refuse it.
func (g generator) malformed(c request) request {
	c = c.harmless()
	number := g.pick("abc", "+5", "-1", "5x", "1.5", "", "4294967295", "4294967296", "5000000000", "1700000000000", "18446744073709551616", "0x10", "007", "2147483648")
	last := len(c.words) - 1
	switch which := g.IntN(12); {
	case which == 0 && (c.key() == 1 || last == 2): // the proxy runs gat for the other keys
		c.words[c.key()] = "{x0}" // is too long
	case which == 1:
		c.words = append(c.words, g.pick("x", "5", "noreply", "0 noreply", "noreply\t", "NOREPLY", "noreplY", "noreplyY"))
	case which == 2 && c.words[last] != "q": // the proxy removes the q, and leaves what follows it
		c.end = g.pick("\t\r\n", " x\r\n", "\r\r\n")
	case which == 3 && c.stores:
		c.words[slices.Index(c.words, "{size}")] = g.pick(number, "8", "9", "6", "5")
	case which == 4 && last > c.key() && c.words[last] != "b": // the key as text is another key
		c.words = c.words[:last]
	case c.words[0][0] == 'm':
		c.words = append(c.words, g.flag(c, number)...)
	default:
		if i := g.IntN(len(c.words)); i > 0 && i != c.key() {
			c.words[i] = number
		}
	}
	return c
}

// flag returns a flag that memcached may refuse.
func (g generator) flag(c request, number string) []string {
	switch which := g.IntN(5); {
	case c.words[0] == "me": // is for debugging
		return nil
	case which == 0 && (c.stores || c.words[0] == "md"): // mg and ma refuse an opaque that is too long when they have changed the item
		return []string{"O" + strings.Repeat("1", 30+g.IntN(4))}
	case which < 3:
		return []string{g.pick("T", "N", "C", "E", "F", "J", "D", "M", "R") + g.pick(number, "X")}
	}
	return []string{g.pick("v", "k", "Z", "!", "1", "\xff", "M", "ME", "I", "vx", "S2")}
}
