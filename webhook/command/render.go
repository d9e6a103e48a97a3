package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/render"
	"github.com/example/memcached-operator/webhook/text"
)

// encoders are the formats of render --output.
var encoders = map[string]func([]render.Object) ([]byte, error){"yaml": render.YAML, "json": render.JSON}

type renderOptions struct {
	render.Options
	caches memcached.Config
	files  []string
	format string
}

func newRender() *cobra.Command {
	var options renderOptions
	command := &cobra.Command{
		Use:   "render [FILE...] [-f FILE]",
		Short: "Print the desired state of custom resources, without a cluster",
		Long: `Print the desired state of custom resources without a cluster. The output contains each custom resource with its status,
followed by its children. It is valid input for kubectl diff -f -.

FILE is a file, a directory, or - for standard input. In a directory, render reads all files that end with .yaml, .yml
or .json, including those in subdirectories, except hidden files. A file may be at most 8 MiB and contain at most
10,000 objects.

render checks the schemas of the CRDs and the rules of the operator. It does not check the CEL rules of the CRDs, and lists
the fields that have such rules on stderr. Without --operator-image, the containers, probes and timeouts of some objects
differ from what an operator with --operator-image creates. render lists these objects on stderr, too.

The exit code is 0 if there is no error, and 2 if the command line is invalid. It is 1 if a custom resource is invalid, a
file cannot be read, or there is no object; stderr then shows the file, the object and the field of each error. On errors,
render prints nothing to stdout.`,
		Example: `  memcached-operator render cache.yaml
  kubectl kustomize . | memcached-operator render --skip-others - | kubectl diff -f -`,
		RunE: func(command *cobra.Command, args []string) error {
			options.files = append(options.files, args...)
			return options.run(command)
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.files, "filename", "f", nil, "`file` or directory with custom resources, or - for standard input; can be repeated")
	flags.VarP(newChoice(&options.format, "yaml", "yaml", "json"), "output", "o", "format of the output")
	addCaches(flags, &options.caches)
	flags.BoolVar(&options.SkipOthers, "skip-others", false, "skip objects that are not custom resources of this operator, for example in the output of kustomize")
	flags.BoolVar(&options.ChildrenOnly, "children", false, "print only the children, so that the same input always has the same output")
	return command
}

func (o *renderOptions) run(command *cobra.Command) error {
	if len(o.files) == 0 {
		return usageErrorf("render requires a file, a directory, or - for standard input")
	}
	inputs, err := readInputs(o.files, command.InOrStdin())
	if err != nil {
		return err
	}
	o.Now = metav1.Now()
	o.caches.ClusterDomain = cmp.Or(o.caches.ClusterDomain, searchedDomain(resolverFile))
	unchecked := sets.New[string]()
	o.Unchecked = func(path string) { unchecked.Insert(path) }
	objects, err := render.Render(parents.Controllers(o.caches), inputs, o.Options)
	if err != nil {
		return err
	}
	if len(unchecked) > 0 {
		command.PrintErrf("The CEL rules of the CRDs were not checked for %s. Use kubectl apply --dry-run=server to check them.\n", strings.Join(sets.List(unchecked), ", "))
	}
	if changed := o.withoutImage(inputs, objects); len(changed) > 0 {
		command.PrintErrf("Without --operator-image, containers, probes and timeouts of these objects differ from what an operator with --operator-image creates: %s\n", strings.Join(changed, ", "))
	}
	content, err := encoders[o.format](objects)
	if err != nil {
		return err
	}
	_, err = command.OutOrStdout().Write(content)
	return err
}

// withoutImage returns the rendered children that an image of the operator changes, if it is not set.
func (o *renderOptions) withoutImage(inputs []render.Input, rendered []render.Object) (changed []string) {
	if o.caches.OperatorImage != "" {
		return nil
	}
	caches := o.caches
	caches.OperatorImage = "memcached-operator"
	byName := map[string]render.Object{}
	for _, object := range rendered {
		byName[nameOf(object)] = object
	}
	others, _ := render.Render(parents.Controllers(caches), inputs, render.Options{Now: o.Now, SkipOthers: o.SkipOthers, ChildrenOnly: true})
	for _, other := range others {
		if name := nameOf(other); !reflect.DeepEqual(byName[name], other) {
			changed = append(changed, name)
		}
	}
	return changed
}

func nameOf(object render.Object) string {
	metadata, _ := object["metadata"].(map[string]any)
	return fmt.Sprint(object["kind"], " ", metadata["namespace"], "/", metadata["name"])
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
			if file == "-" {
				file = "standard input"
			}
			inputs = append(inputs, render.Input{Name: printable(file), Content: content})
		}
	}
	return inputs, nil
}

// printable returns the name of a file in one line. Somebody else may have chosen it. 4,096 bytes is the longest path that Linux accepts.
func printable(name string) string { return text.Printable(name, 4096) }

// filesOf returns the files of a directory, or the name itself if it is not a directory.
func filesOf(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil // reading it reports the error
	}
	var files []string
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return readError(path, err)
		case path != name && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return filepath.SkipDir
			}
		case !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)):
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return fmt.Errorf("%s is neither a file nor a directory", printable(path)) // a device, or a pipe, which can have no end
			}
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// readFile returns a file, or what comes from standard input. It reads no more than [render.Render] accepts.
func readFile(name string, stdin io.Reader) ([]byte, error) {
	reader := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, readError(name, err)
		}
		defer file.Close()
		reader = file
	}
	content, err := io.ReadAll(io.LimitReader(reader, render.MaxBytes+1))
	switch {
	case err != nil:
		return nil, readError(name, err)
	case len(content) > render.MaxBytes:
		return nil, fmt.Errorf("%s is larger than %d bytes", printable(name), render.MaxBytes)
	}
	return content, nil
}

// readError returns an error without the name of the system call.
func readError(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("cannot read %s: %w", printable(name), err)
}
