package reloader

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mostUsers is how many memcached reads: https://github.com/memcached/memcached/blob/master/authfile.c
const mostUsers = 8

// user is a line of the file.
type user struct{ name, password string }

// applyPasswords makes memcached read its passwords again, which it does on SIGHUP alone, and logs in by each.
func (c *Config) applyPasswords() (string, error) {
	users, err := usersIn(c.PasswordFile)
	if err != nil {
		return "", err
	}
	if err := c.Signal(); err != nil {
		return "", fmt.Errorf("telling memcached to read its passwords again: %w", err)
	}
	for deadline := time.Now().Add(timeout); ; time.Sleep(200 * time.Millisecond) {
		if err = c.logInAll(users); err == nil {
			return fmt.Sprintf("passwords of %d users", len(users)), nil
		}
		if time.Now().After(deadline) { // memcached reads them at its next tick, within a second or so
			return "", err
		}
	}
}

func (c *Config) logInAll(users []user) error {
	for i, user := range users {
		connection, err := net.DialTimeout("tcp", c.Commands, timeout)
		if err != nil {
			return err
		}
		err = logIn(connection, user)
		connection.Close()
		if err != nil {
			return fmt.Errorf("user %d of the file: %w", i+1, err)
		}
	}
	return nil
}

// logIn is the first command of a connection in ASCII mode: a set of any key.
func logIn(connection net.Conn, user user) error {
	login := user.name + " " + user.password
	answer, err := command(connection, "set login 0 0 "+strconv.Itoa(len(login))+"\r\n"+login)
	if err != nil {
		return err
	}
	if answer != "STORED" {
		return errors.New("memcached does not know this password")
	}
	return nil
}

// usersIn reads the users as memcached does: the first few lines of user:password.
func usersIn(file string) ([]user, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var users []user
	for line := range strings.Lines(string(content)) {
		name, password, found := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if found && len(users) < mostUsers {
			users = append(users, user{name, password})
		}
	}
	if len(users) == 0 {
		return nil, fmt.Errorf("%s holds no line of user:password", filepath.Base(file))
	}
	return users, nil
}

// command sends one and returns the first line of the answer.
func command(connection net.Conn, text string) (string, error) {
	if err := connection.SetDeadline(time.Now().Add(timeout)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(connection, "%s\r\n", text); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(connection).ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

// hangUp sends SIGHUP to memcached, whose process the pod's containers share.
func hangUp() error {
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return err
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil || strings.TrimSpace(string(content)) != "memcached" {
			continue // a process that has just ended has no name
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			return err
		}
		return syscall.Kill(id, syscall.SIGHUP)
	}
	return errors.New("there is no process named memcached")
}
