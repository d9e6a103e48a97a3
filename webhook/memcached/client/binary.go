package client

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Operations of the binary protocol: https://docs.memcached.org/protocols/binary/
const (
	opStat = 0x10
	opSASL = 0x21
)

// unknownCommand is the status of a login if memcached has no SASL. All versions know the other operation.
const unknownCommand = 0x81

const (
	headerBytes = 24
	// maxBodyBytes limits what a response makes the client allocate. The responses of this package are short.
	maxBodyBytes = 1 << 16
)

// frame is a response.
type frame struct{ key, value string }

func (c *Conn) binaryRequest(operation byte, key, value string) (frame, error) {
	header := [headerBytes]byte{0: 0x80, 1: operation}
	binary.BigEndian.PutUint16(header[2:], uint16(len(key)))
	binary.BigEndian.PutUint32(header[8:], uint32(len(key)+len(value)))
	if _, err := c.Write(slices.Concat(header[:], []byte(key), []byte(value))); err != nil {
		return frame{}, err
	}
	return c.readFrame()
}

func (c *Conn) readFrame() (frame, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(c.Reader, header[:]); err != nil {
		return frame{}, err
	}
	keyBytes, extraBytes := int(binary.BigEndian.Uint16(header[2:])), int(header[4])
	length := int(binary.BigEndian.Uint32(header[8:]))
	if header[0] != 0x81 || length > maxBodyBytes || keyBytes+extraBytes > length {
		return frame{}, fmt.Errorf("the response %q is not of the binary protocol", header)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.Reader, body); err != nil {
		return frame{}, err
	}
	body = body[extraBytes:]
	switch status := binary.BigEndian.Uint16(header[6:]); status {
	case 0:
		return frame{string(body[:keyBytes]), string(body[keyBytes:])}, nil
	case unknownCommand:
		return frame{}, fmt.Errorf("memcached responds %q: SASL is off without its flag -S", body[keyBytes:])
	default:
		return frame{}, fmt.Errorf("memcached responds with status %#x: %q", status, body[keyBytes:])
	}
}

// binaryStats reads one response for each value, until a response without a name.
func (c *Conn) binaryStats(group string) (map[string]string, error) {
	values := map[string]string{}
	response, err := c.binaryRequest(opStat, group, "")
	for count := 0; err == nil && response.key != ""; response, err = c.readFrame() {
		if count++; count > maxStats {
			return nil, errTooManyStats
		}
		values[response.key] = response.value
	}
	return values, err
}
