// Jsonschema writes the JSON schemas of all kinds into a directory. make dist runs it.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/example/memcached-operator/crds"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: jsonschema DIRECTORY")
	}
	schemas, err := crds.JSONSchemas()
	if err != nil {
		log.Fatal(err)
	}
	for name, content := range schemas {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
