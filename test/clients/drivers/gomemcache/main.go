// Command gomemcache runs the operations of the Go library: gomemcache ADDRESS ADDRESS. cases_test.go describes them.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

type client struct {
	*memcache.Client
	unique *memcache.Item
}

func main() {
	build, _ := debug.ReadBuildInfo()
	at := slices.IndexFunc(build.Deps, func(m *debug.Module) bool { return strings.HasSuffix(m.Path, "/gomemcache") })
	fmt.Println(build.Deps[at].Version)
	var clients []*client
	requests, responses := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for requests.More() {
		var request []json.RawMessage
		var i int
		var operation string
		err := errors.Join(requests.Decode(&request), json.Unmarshal(request[0], &i), json.Unmarshal(request[1], &operation))
		if err != nil {
			log.Fatal(err)
		}
		if operation == "new" {
			clients = connect(os.Args[1:])
			fmt.Println("null")
			continue
		}
		result, err := clients[i].run(operation, request[2:])
		if err != nil {
			result = err.Error()
		}
		if err := responses.Encode(result); err != nil {
			log.Fatal(err)
		}
	}
}

// config returns how to connect with the files of a directory.
func config(files string) *tls.Config {
	authority, err := os.ReadFile(files + "/ca.crt")
	if err != nil {
		log.Fatal(err)
	}
	certificate, err := tls.LoadX509KeyPair(files+"/tls.crt", files+"/tls.key")
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{certificate}}
}

func connect(addresses []string) (all []*client) {
	for _, address := range addresses {
		c := memcache.New(address)
		c.Timeout = 5 * time.Second
		if files := os.Getenv("TLS"); files != "" {
			c.DialContext = (&tls.Dialer{Config: config(files)}).DialContext
		}
		all = append(all, &client{Client: c})
	}
	return all
}

func (c *client) run(operation string, args []json.RawMessage) (any, error) {
	if operation == "get_multi" {
		return c.getMulti(args[0])
	}
	var key, value string
	var number uint64
	if len(args) > 0 {
		_ = json.Unmarshal(args[0], &key)
	}
	if len(args) > 1 && json.Unmarshal(args[1], &value) != nil {
		_ = json.Unmarshal(args[1], &number)
	}
	item := &memcache.Item{Key: key, Value: []byte(value)}
	stores := map[string]func(*memcache.Item) error{"set": c.Set, "add": c.Add, "replace": c.Replace, "append": c.Append, "prepend": c.Prepend}
	if store := stores[operation]; store != nil {
		return "stored", store(item)
	}
	switch operation {
	case "get", "gets":
		return c.get(key)
	case "cas":
		unique := *c.unique
		unique.Value = item.Value
		return "stored", c.CompareAndSwap(&unique)
	case "incr":
		return c.Increment(key, number)
	case "decr":
		return c.Decrement(key, number)
	case "delete":
		return "deleted", c.Delete(key)
	case "touch":
		return "touched", c.Touch(key, int32(number))
	case "close":
		return nil, c.Close()
	}
	return nil, errors.New("no " + operation)
}

func (c *client) get(key string) (any, error) {
	item, err := c.Get(key)
	if errors.Is(err, memcache.ErrCacheMiss) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c.unique = item
	return string(item.Value), nil
}

func (c *client) getMulti(arg json.RawMessage) (any, error) {
	var keys []string
	if err := json.Unmarshal(arg, &keys); err != nil {
		return nil, err
	}
	items, err := c.GetMulti(keys)
	found := map[string]string{}
	for key, item := range items {
		found[key] = string(item.Value)
	}
	return found, err
}
