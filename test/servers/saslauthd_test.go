//go:build servers

package servers

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkPasswords starts a saslauthd for a memcached that cannot read the password file, and configures the SASL library to
// use it. This saslauthd reads the password file of the pod.
func checkPasswords(t *testing.T, dir string) {
	t.Helper()
	socket := filepath.Join(dir, "saslauthd")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	sasl := filepath.Join(dir, "sasl")
	content, err := os.ReadFile(filepath.Join(sasl, "memcached.conf"))
	if err != nil {
		t.Fatal(err)
	}
	content = append(content, "pwcheck_method: saslauthd\nsaslauthd_path: "+socket+"\n"...)
	update(t, sasl, map[string][]byte{"memcached.conf": content})
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			serveLogin(connection, filepath.Join(dir, "auth", "passwords"))
		}
	}()
}

// serveLogin reads a user, a password, a service and a realm, and writes OK or NO. Each text follows its length in two bytes.
func serveLogin(connection net.Conn, passwords string) {
	defer connection.Close()
	var login [4]string
	for i := range login {
		var length uint16
		if err := binary.Read(connection, binary.BigEndian, &length); err != nil {
			return
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(connection, text); err != nil {
			return
		}
		login[i] = string(text)
	}
	verdict := "NO"
	content, err := os.ReadFile(passwords)
	if err == nil {
		for line := range strings.Lines(string(content)) {
			if strings.TrimSuffix(line, "\n") == login[0]+"@"+login[3]+":"+login[1] {
				verdict = "OK"
			}
		}
	}
	_, _ = connection.Write(append([]byte{0, byte(len(verdict))}, verdict...))
}
