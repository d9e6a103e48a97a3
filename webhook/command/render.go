package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/render"
)

const renderUsage = `memcached-operator render prints the desired state of custom resources without a cluster: each custom resource with
its status, followed by its children. The output is valid input for kubectl diff -f -. Of a directory, render reads all
files that end with .yaml, .yml or .json, also in directories below it, but not hidden ones.

The exit code is 0 if all custom resources are valid, 1 if one is not or a file cannot be read, and 2 for wrong flags. With
1 and 2, render prints nothing to stdout. With 1, stderr has the file, the object and the field of each error.

Usage:
  memcached-operator render [flags] FILE...

Flags of render:
`

func renderFiles(args []string, stdin io.Reader, stdout io.Writer) error {
	var files []string
	var observedFile, format string
	var caches memcached.Config
	options := render.Options{Now: metav1.Now()}
	flags := flag.NewFlagSet("render", flag.ContinueOnError)
	flags.Func("f", "`file` or directory with custom resources, - for standard input; may be repeated", func(file string) error {
		files = append(files, file)
		return nil
	})
	flags.StringVar(&observedFile, "observed", "", "`file` with a recorded sync request, whose children and related objects are the observed state")
	addReloaderImage(flags, &caches)
	flags.StringVar(&format, "o", "yaml", "`format` of the output: yaml or json")
	flags.BoolVar(&options.SkipOthers, "skip-others", false, "skip objects whose API group and kind are not those of a custom resource, as in the output of kustomize")
	flags.BoolVar(&options.ChildrenOnly, "children", false, "print only the children; the same input then always has the same output")
	if ok, err := parse(flags, args, stdout, renderUsage); !ok {
		return err
	}
	files = append(files, flags.Args()...)
	encode, known := map[string]func([]render.Object) ([]byte, error){"yaml": render.YAML, "json": render.JSON}[format]
	switch {
	case !known:
		return usageError{fmt.Errorf("invalid value %q for flag -o: use yaml or json", format)}
	case len(files) == 0:
		return usageError{errors.New("render requires a file or a directory, or - for standard input")}
	}
	inputs, err := readInputs(files, stdin)
	if err != nil {
		return err
	}
	if observedFile != "" {
		if options.Observed, err = readFile(observedFile, stdin); err != nil {
			return err
		}
	}
	objects, err := render.Render(parents.Controllers(caches), inputs, options)
	if err != nil {
		return err
	}
	content, err := encode(objects)
	if err != nil {
		return err
	}
	_, err = stdout.Write(content)
	return err
}

// readInputs reads files, and the files of directories in the order of their names.
func readInputs(names []string, stdin io.Reader) ([]render.Input, error) {
	var inputs []render.Input
	for _, name := range names {
		files, err := filesOf(name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			content, err := readFile(file, stdin)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, render.Input{Name: file, Content: content})
		}
	}
	return inputs, nil
}

// filesOf returns the files of a directory, or the name itself if it is not a directory.
func filesOf(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil // reading it reports the error
	}
	var files []string
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != name && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return filepath.SkipDir
			}
		case !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

func readFile(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}
