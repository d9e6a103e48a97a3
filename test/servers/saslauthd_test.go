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

// checkPasswords lets the SASL library ask for passwords where memcached cannot check them itself: by the protocol of
// saslauthd, and of the file that the pod has. All else is as in the pod.
func checkPasswords(t *testing.T, folder string) {
	t.Helper()
	socket := filepath.Join(folder, "saslauthd")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "sasl", "memcached.conf")
	content, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, config, append(content, "pwcheck_method: saslauthd\nsaslauthd_path: "+socket+"\n"...))
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			answer(connection, filepath.Join(folder, "auth", "passwords"))
		}
	}()
}

// answer reads a user, a password, a service and a realm, and says OK or NO: each is a length of two bytes and the text.
func answer(connection net.Conn, passwords string) {
	defer connection.Close()
	var asked [4]string
	for i := range asked {
		var length uint16
		if err := binary.Read(connection, binary.BigEndian, &length); err != nil {
			return
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(connection, text); err != nil {
			return
		}
		asked[i] = string(text)
	}
	verdict := "NO"
	content, err := os.ReadFile(passwords)
	if err == nil {
		for line := range strings.Lines(string(content)) {
			if strings.TrimSuffix(line, "\n") == asked[0]+"@"+asked[3]+":"+asked[1] {
				verdict = "OK"
			}
		}
	}
	_, _ = connection.Write(append([]byte{0, byte(len(verdict))}, verdict...))
}
