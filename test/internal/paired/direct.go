package paired

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/client"
)

// directTimeout is how long a client waits for a server that it uses without a proxy.
const directTimeout = 500 * time.Millisecond

// doDirect sends the command for each key to the server of the key, as clients do without a proxy. The response of a server that cannot
// be reached is an error, as that of a proxy.
func (c *connection) doDirect(ctx context.Context, commands string) (responses []response, repeated bool, err error) {
	for len(c.servers) < len(c.to.Servers) {
		c.servers = append(c.servers, &connection{to: c.to.Servers[len(c.servers)]})
	}
	for server, text := range byServer(commands, len(c.servers)) {
		if text == "" {
			continue
		}
		of, again, err := c.servers[server].try(ctx, text)
		if ctx.Err() != nil {
			return nil, repeated, err
		}
		if err != nil {
			of = []response{{line: "SERVER_ERROR " + err.Error()}}
		}
		responses, repeated = append(responses, of...), repeated || again
	}
	return responses, repeated, nil
}

// try sends commands, and once more if that fails: a server that has started again has closed the connection.
func (c *connection) try(ctx context.Context, commands string) (responses []response, repeated bool, err error) {
	for range 2 {
		if c.conn == nil {
			c.conn, err = client.Dial(ctx, c.to.Any(), client.Config{Timeout: directTimeout, TLS: c.to.TLS})
		}
		if err == nil {
			if responses, err = c.exchange(commands); err == nil {
				return responses, repeated, nil
			}
			repeated = true
		}
		c.close()
	}
	return nil, repeated, err
}

// byServer returns the commands for each server, without the order of the keys of different servers.
func byServer(commands string, servers int) []string {
	texts := make([]string, servers)
	for rest := commands; rest != ""; {
		line, _, _ := strings.Cut(rest, "\r\n")
		words := strings.Fields(line)
		end := len(line) + len("\r\n")
		if size := sizeAt[words[0]]; size > 0 {
			bytes, _ := strconv.Atoi(words[size])
			end += bytes + len("\r\n")
		}
		keys, command := words[1:2], rest[:end]
		switch words[0] {
		case "get":
			keys = words[1:]
		case "gat":
			keys = words[2:]
		}
		for _, key := range keys {
			if len(keys) > 1 {
				command = "get " + key + "\r\n"
			}
			texts[copier.ServerOf([]byte(key), servers)] += command
		}
		rest = rest[end:]
	}
	return texts
}

// sizeAt is the word with the size of the value that follows a command.
var sizeAt = map[string]int{"set": 4, "add": 4, "replace": 4, "append": 4, "cas": 4, "ms": 2}
