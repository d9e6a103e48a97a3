//go:build !race

package golden

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// mutation replaces the bytes of a request from start to end.
type mutation struct {
	path, what  string
	start, end  int64
	replacement string
}

func (m mutation) apply(request []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(request[:m.start]), strings.NewReader(m.replacement), bytes.NewReader(request[m.end:]))
}

// metadataMutations returns the mutations of the metadata of the parent and of the first object in each group, without the values to skip.
func metadataMutations(t *testing.T, request []byte, skip func(span) bool) (found []mutation) {
	t.Helper()
	var visit func(span)
	visit = func(value span) {
		if skip(value) {
			return
		}
		found = append(found, value.mutations(request)...)
		for _, each := range value.in(t, request) {
			visit(each)
		}
	}
	visitObject := func(path string, object span) {
		for _, member := range object.in(t, request) {
			if strings.HasSuffix(member.path, ".metadata") {
				member.path = path + ".metadata" // the same for objects with other names
				visit(member)
			}
		}
	}
	for _, part := range (span{end: int64(len(request))}).in(t, request) {
		switch part.path {
		case ".parent":
			visitObject(part.path, part)
		case ".children", ".related":
			for _, group := range part.in(t, request) {
				if objects := group.in(t, request); len(objects) > 0 {
					visitObject(group.path, objects[0])
				}
			}
		}
	}
	return found
}

// span is a value in a request. Its name ends at nameEnd; 0 for an element of a list.
type span struct {
	path                string
	nameEnd, start, end int64
}

// in returns the members of an object or the elements of a list; none of another value.
func (s span) in(t *testing.T, request []byte) (found []span) {
	t.Helper()
	decoder := jsontext.NewDecoder(bytes.NewReader(request[s.start:s.end]))
	open, err := decoder.ReadToken()
	for err == nil && decoder.StackDepth() > 0 && decoder.PeekKind() != jsontext.KindEndObject && decoder.PeekKind() != jsontext.KindEndArray {
		each := span{path: s.path + "[]"}
		if open.Kind() == jsontext.KindBeginObject {
			var name jsontext.Token
			name, err = decoder.ReadToken()
			each.path, each.nameEnd = s.path+"."+name.String(), s.start+decoder.InputOffset()
		}
		var value jsontext.Value
		if err == nil {
			value, err = decoder.ReadValue()
		}
		each.end = s.start + decoder.InputOffset()
		each.start = each.end - int64(len(value))
		found = append(found, each)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// replacements are what each kind of JSON value is replaced by, with a description.
var replacements = map[jsontext.Kind][][2]string{
	jsontext.KindString:      {{"null", `null`}, {"empty", `""`}, {"a number", `7`}, {"a list", `[]`}, {"an object", `{}`}},
	jsontext.KindNumber:      {{"null", `null`}, {"zero", `0`}, {"another number", `70000`}, {"negative", `-1`}, {"a string", `"x"`}},
	jsontext.KindTrue:        {{"null", `null`}, {"false", `false`}, {"a string", `"x"`}},
	jsontext.KindBeginObject: {{"null", `null`}, {"empty", `{}`}, {"a list", `[]`}, {"a string", `"x"`}},
	jsontext.KindBeginArray:  {{"null", `null`}, {"empty", `[]`}, {"an object", `{}`}, {"a string", `"x"`}},
}

func (s span) mutations(request []byte) (found []mutation) {
	value := jsontext.Value(request[s.start:s.end])
	for _, each := range replacements[value.Kind()] {
		found = append(found, mutation{s.path, each[0], s.start, s.end, each[1]})
	}
	if s.nameEnd > 0 {
		found = append(found, mutation{s.path, "missing", s.nameEnd - 1, s.nameEnd, `-x"`}) // no hook reads the other name
	}
	if value.Kind() != jsontext.KindString {
		return found
	}
	another := string(value[1:len(value)-1]) + "x"
	if at, err := time.Parse(time.RFC3339, strings.TrimSuffix(another, "x")); err == nil {
		another = at.Add(time.Hour).Format(time.RFC3339)
	}
	return append(found, mutation{s.path, "another string", s.start, s.end, `"` + another + `"`})
}
