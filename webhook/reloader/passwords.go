package reloader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// maxUsers is the number of users that memcached reads: https://github.com/memcached/memcached/blob/master/authfile.c
const maxUsers = 8

// user is a line of the password file.
type user struct{ name, password string }

// errPassword reports that memcached does not accept a password.
var errPassword = errors.New("memcached does not accept the password")

// reloadPasswords makes memcached load its passwords, which requires SIGHUP, and logs in as each user, and as those whose password the file no longer has:
// memcached keeps all earlier passwords, without a word, if clients have used up its file descriptors.
func (c *Config) reloadPasswords() (string, error) {
	users, err := usersIn(c.PasswordFile)
	if err != nil {
		return "", err
	}
	c.known = slices.Concat(users, revoked(c.known, users))
	if err := c.Signal(); err != nil {
		return "", fmt.Errorf("signaling memcached to load its passwords: %w", err)
	}
	for deadline := time.Now().Add(timeout); ; time.Sleep(200 * time.Millisecond) {
		if err = cmp.Or(c.logInAll(users), c.refusesAll(revoked(c.known, users))); err == nil {
			c.known = users
			if len(users) == 1 {
				return "password of 1 user", nil
			}
			return fmt.Sprintf("passwords of %d users", len(users)), nil
		}
		if time.Now().After(deadline) { // memcached loads them within about a second
			return "", err
		}
	}
}

func (c *Config) connect() (*client.Conn, error) {
	return client.Dial(context.Background(), c.CommandAddress, client.Config{Timeout: timeout})
}

func (c *Config) logInAll(users []user) error {
	for i, login := range users {
		if err := c.logIn(login); err != nil {
			return fmt.Errorf("user %d of the password file: %w", i+1, err)
		}
	}
	return nil
}

// revoked returns the users whose passwords memcached may have loaded, and that the file no longer has.
func revoked(known, users []user) []user {
	return slices.DeleteFunc(slices.Clone(known), func(each user) bool { return slices.Contains(users, each) })
}

// refusesAll returns an error if memcached accepts a password that was revoked.
func (c *Config) refusesAll(revoked []user) error {
	for _, login := range revoked {
		switch err := c.logIn(login); {
		case err == nil:
			return errors.New("memcached still accepts a password that the file no longer has")
		case !errors.Is(err, errPassword):
			return err
		}
	}
	return nil
}

// logIn logs in over a connection of its own.
func (c *Config) logIn(login user) error {
	connection, err := c.connect()
	if err != nil {
		return err
	}
	defer connection.Close()
	return logIn(connection, login)
}

// logIn logs in. In ASCII mode that is the first command of a connection: a set of any key.
func logIn(connection *client.Conn, login user) error {
	value := login.name + " " + login.password
	response, err := connection.Command("set login 0 0 " + strconv.Itoa(len(value)) + "\r\n" + value)
	if err != nil {
		return err
	}
	if string(response) != "STORED" {
		return errPassword
	}
	return nil
}

// usersIn returns the users that memcached reads from a file: the first maxUsers lines of user:password. If another line is among them, memcached
// keeps using all earlier passwords, also those that the file no longer contains.
func usersIn(file string) ([]user, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var users []user
	for line := range strings.Lines(string(content)) {
		if len(users) == maxUsers {
			break
		}
		name, password, found := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if !found {
			return nil, fmt.Errorf("line %d of %s is not of the form user:password, so memcached keeps using the earlier passwords", len(users)+1, filepath.Base(file))
		}
		users = append(users, user{name, password})
	}
	if len(users) == 0 {
		return nil, fmt.Errorf("%s has no line of the form user:password", filepath.Base(file))
	}
	return users, nil
}

// signalMemcached sends SIGHUP to the process of memcached in a directory such as /proc. The containers of the pod share their
// processes.
func signalMemcached(proc string) error {
	id, err := memcachedProcess(proc)
	if err != nil {
		return err
	}
	return syscall.Kill(id, syscall.SIGHUP)
}

// memcachedProcess returns the ID of the first process that is named memcached in a directory such as /proc.
func memcachedProcess(proc string) (int, error) {
	names, err := filepath.Glob(proc + "/[0-9]*/comm")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil || strings.TrimSpace(string(content)) != "memcached" {
			continue // the process may have ended
		}
		return strconv.Atoi(filepath.Base(filepath.Dir(name)))
	}
	return 0, errors.New("no process is named memcached")
}
