// Package clients runs client libraries against proxies that change their servers, and against one memcached.
package clients

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

var only = flag.String("libraries", "", "test only these libraries, separated by commas")

// built is the directory of the programs that the tests compile, and of a certificate for proxies and their clients.
var built string

var authority = ca.New()

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Println("FAIL:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if os.Getenv("MEMCACHED") == "" {
		fmt.Println("NOT TESTED: clients of the proxies. Set MEMCACHED to the path of a memcached with the features of the official image; test/servers/build-memcached builds one.")
		return 0, nil
	}
	if built, err = os.MkdirTemp("", "clients"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(built)
	certificate, key := authority.Issue(ca.Subject{CommonName: "cache"})
	for name, content := range map[string][]byte{"ca.crt": authority.PEM(), "tls.crt": certificate, "tls.key": key} {
		ca.Write(built, name, content)
	}
	libraries = slices.DeleteFunc(libraries, func(l library) bool {
		return *only != "" && !slices.Contains(strings.Split(*only, ","), l.name)
	})
	var missing, install []string
	libraries = slices.DeleteFunc(libraries, func(l library) bool {
		output, err := shell(l.prepare)
		if err != nil {
			missing, install = append(missing, l.name), append(install, l.install)
			fmt.Printf("%s is missing: %s%v\n", l.name, output, err)
		}
		return err != nil
	})
	if len(missing) == 0 {
		return m.Run(), nil
	}
	slices.Sort(install)
	message := fmt.Sprintf("NOT TESTED: %s. Install with: %s", strings.Join(missing, ", "), strings.Join(slices.Compact(install), " && "))
	if os.Getenv("CI") == "true" {
		return 1, errors.New(message)
	}
	code = m.Run()
	fmt.Println(message)
	return code, nil
}

// shell runs a command in the directory of the drivers. It finds the directory for programs in $BUILT.
func shell(command string) (output []byte, err error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = "drivers", append(os.Environ(), "BUILT="+built)
	return cmd.CombinedOutput()
}

// A library runs in a driver, a program of its language.
type library struct {
	name string
	// driver is the command that starts the driver. The addresses of the two clients follow.
	driver []string
	// prepare fails if the library is missing, and install is the command that installs it.
	prepare, install string
}

const (
	python = "/usr/bin/python3" // has the packages of Debian, also if another one is first on the PATH
	perl   = "/usr/bin/perl"
	apt    = "apt-get install -y --no-install-recommends "
	npm    = "(cd test/clients && npm ci --ignore-scripts)"
	jar    = "/usr/share/java/spymemcached.jar"
)

var libraries = []library{
	{"pymemcache", []string{python, "clients.py", "pymemcache"}, python + " -c 'import pymemcache'", apt + "python3-pymemcache"},
	{"Django", []string{python, "clients.py", "Django"}, python + " -c 'import django, pymemcache'", apt + "python3-django python3-pymemcache"},
	{"pylibmc", []string{python, "clients.py", "pylibmc"}, python + " -c 'import pylibmc'", apt + "python3-pylibmc"},
	{"python-memcached", []string{python, "clients.py", "python_memcached"}, python + " -c 'import memcache'", apt + "python3-memcache"},
	{"PHP", []string{"php", "clients.php"}, `php -r 'exit(class_exists("Memcached") ? 0 : 1);'`, apt + "php-cli php-memcached"},
	{"Cache::Memcached", []string{perl, "clients.pl", "Cache::Memcached"}, perl + " -MJSON::XS -MCache::Memcached -e 1", apt + "libjson-xs-perl libcache-memcached-perl"},
	{"Cache::Memcached::Fast", []string{perl, "clients.pl", "Cache::Memcached::Fast"}, perl + " -MJSON::XS -MCache::Memcached::Fast -e 1", apt + "libjson-xs-perl libcache-memcached-fast-perl"},
	{"memcache of npm", []string{"node", "clients.mjs", "memcache"}, "test -d ../node_modules/memcache && command -v node", npm},
	{"memcache-client of npm", []string{"node", "clients.mjs", "memcache-client"}, "test -d ../node_modules/memcache-client && command -v node", npm},
	{"memcached of npm", []string{"node", "clients.mjs", "memcached"}, "test -d ../node_modules/memcached && command -v node", npm},
	{"spymemcached", []string{"java", "-cp", jar + ":$BUILT", "Clients", "Retry"}, "javac -cp " + jar + ` -d "$BUILT" Clients.java`, apt + "default-jdk-headless libspymemcached-java"},
	{"gomemcache", []string{"$BUILT/gomemcache"}, `go build -o "$BUILT/gomemcache" ./gomemcache`, ""},
}

// withTLS are the libraries that have TLS.
var withTLS = []string{"pymemcache", "Django", "memcache-client of npm", "gomemcache"}

// secured returns the library with TLS. Its driver finds the certificates in $TLS.
func (l library) secured() library {
	return library{l.name + " with TLS", append([]string{"env", "TLS=$BUILT"}, l.driver...), l.prepare, l.install}
}

// tls returns how the test connects to the proxies of a library; nil without TLS.
func (l library) tls() *tls.Config {
	if l.driver[0] != "env" {
		return nil
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: "127.0.0.1", RootCAs: authority.Pool(),
		Certificates: []tls.Certificate{authority.Certificate(ca.Subject{CommonName: "test"})},
	}
}

// tlsArgs returns the arguments with which memcached requires the certificate of a library; nil without TLS.
func (l library) tlsArgs() []string {
	if l.tls() == nil {
		return nil
	}
	args := children.TLSArgs(&v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequire}})
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "/etc/memcached/tls", built)
	}
	return args
}

// program returns the command that starts the driver of a library.
func (l library) program(addresses ...string) *exec.Cmd {
	var args []string
	for _, arg := range l.driver {
		args = append(args, strings.ReplaceAll(arg, "$BUILT", built))
	}
	args = append(args, addresses...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = "drivers"
	return cmd
}

var memcached = filepath.Clean(os.Getenv("MEMCACHED"))
