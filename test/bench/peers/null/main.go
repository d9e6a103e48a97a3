// Null reads a request and returns a constant response, which measures the cost of HTTP.
package main

import (
	"flag"
	"io"
	"log"
	"net/http"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "`host:port` to listen on")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":{},"children":[]}`)
	})))
}
