package check

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
)

var failClosed = Check{
	ID:    "fail-closed",
	Looks: "broken requests: cut off, with missing, null, renamed and duplicate members, with an impossible namespace, and of another kind",
	Why:   "A 200 to such a request with fewer children than to the whole one deletes children. A hook that ends serves no other parent.",
	run: func(s *Subject, e *exchange) []string {
		if e.Phase != "" {
			return nil // the same hook, with many more requests
		}
		if s.waited(e) < 0 {
			return []string{e.Hook + ": not tried, because an earlier request has ended the hook"}
		}
		var problems []string
		tried := 0
		for reason, body := range Broken(e.Request) {
			response := s.post(e.Case, body)
			tried++
			if waited := 0; response.Err != nil {
				if waited = s.waited(e); waited != 0 {
					problems = append(problems, fmt.Sprintf("%s, %s: the hook no longer responds, not even to a valid request", e.Hook, reason))
				}
				if waited < 0 {
					return append(problems, fmt.Sprintf("%s: %d more broken requests were not tried: run the hook in a loop that restarts it", e.Hook, countBroken(e.Request)-tried))
				}
			}
			if lost := lost(e, response.answer); response.answer != nil && lost != "" {
				problems = append(problems, fmt.Sprintf("%s, %s: 200 %s", e.Hook, reason, lost))
			}
		}
		return problems
	},
}

// waited returns how often the checks have waited until a hook responds to a whole request; -1 if it does not in some seconds.
func (s *Subject) waited(e *exchange) int {
	for times := range 5 {
		if s.send(e.Case).Err == nil {
			return times
		}
		if s.Wait == nil {
			break
		}
		s.Wait()
	}
	return -1
}

func countBroken(request map[string]any) (count int) {
	for range Broken(request) {
		count++
	}
	return count
}

// lost returns what a response to a broken request would delete; "" if there is nothing.
func lost(whole *exchange, answer map[string]any) string {
	kept := NamesOf(answer)
	for _, name := range NamesOf(whole.answer) {
		if !slices.Contains(kept, name) {
			return "without " + name
		}
	}
	if answer["finalized"] == true && whole.answer["finalized"] != true {
		return "with finalized"
	}
	if rules := len(list(answer["relatedResources"])); rules < len(list(whole.answer["relatedResources"])) {
		return fmt.Sprintf("with %d rules", rules)
	}
	return ""
}

// Broken yields broken copies of a request, with the reason. No hook can know the objects that they do not have.
func Broken(request map[string]any) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		body := string(encode(request))
		for _, b := range brokenText(request, body) {
			if !yield(b[0], []byte(b[1])) {
				return
			}
		}
		for i := range 40 {
			if !yield("cut off", []byte(body[:len(body)*i/40])) {
				return
			}
		}
		for _, path := range members(request) {
			for reason, change := range changes {
				broken := clone(request)
				change(object(at(broken, path[:len(path)-1]...)), path[len(path)-1])
				if !yield(strings.Join(path, ".")+" is "+reason, encode(broken)) {
					return
				}
			}
		}
		for _, b := range brokenParents {
			broken := clone(request)
			object(at(broken, b.path[:len(b.path)-1]...))[b.path[len(b.path)-1]] = b.value
			if !yield(fmt.Sprintf("%s is %v", strings.Join(b.path, "."), b.value), encode(broken)) {
				return
			}
		}
	}
}

// brokenParents has values that the parent of the hook cannot have.
var brokenParents = []struct {
	path  []string
	value any
}{
	{[]string{"parent", "metadata", "namespace"}, "Not A Namespace"}, {[]string{"parent", "metadata", "namespace"}, ".."},
	{[]string{"parent", "metadata", "namespace"}, strings.Repeat("n", 64)}, {[]string{"parent", "metadata", "namespace"}, 1},
	{[]string{"parent", "apiVersion"}, "example.com/v9"}, {[]string{"parent", "apiVersion"}, ""}, {[]string{"parent", "kind"}, "Other"}, {[]string{"parent", "kind"}, ""},
}

func brokenText(request map[string]any, body string) [][2]string {
	broken := [][2]string{
		{"the body is null", "null"}, {"the body is an empty object", "{}"}, {"the body is a list", "[]"}, {"the body is a string", `"x"`},
		{"a second value follows", body + "{}"}, {"text follows", body + "x"}, {"not UTF-8", strings.Replace(body, `"name":"`, "\"name\":\"\xff", 1)},
		{"a number is NaN", `{"future":NaN,` + body[1:]}, {"10,001 lists", `{"future":` + strings.Repeat("[", 10001) + strings.Repeat("]", 10001) + "," + body[1:]},
	}
	for _, name := range []string{"parent", "children", "related"} {
		if _, found := request[name]; found {
			broken = append(broken, [2]string{name + " is doubled", body[:len(body)-1] + `,"` + name + `":{}}`})
		}
	}
	return broken
}

// changes break a member of an object.
var changes = map[string]func(object map[string]any, name string){
	"missing": func(o map[string]any, name string) { delete(o, name) },
	"null":    func(o map[string]any, name string) { o[name] = nil },
	"of a wrong type": func(o map[string]any, name string) {
		if _, isText := o[name].(string); isText {
			o[name] = []any{"x"}
			return
		}
		o[name] = "x"
	},
	"renamed": func(o map[string]any, name string) {
		o[string(unicode.ToUpper(rune(name[0])))+name[1:]+"X"[:len(name)%2]] = o[name]
		delete(o, name)
	},
}

// members returns the paths of the members of a request that name objects: the parent, and the groups of observed objects and one object
// of each. The spec of a parent is not one of them: a CRD may let it be absent or empty, and then fewer children are right.
func members(request map[string]any) [][]string {
	paths := [][]string{{"parent"}, {"parent", "metadata"}, {"parent", "apiVersion"}, {"parent", "kind"}}
	for _, part := range []string{"children", "related"} {
		if _, found := request[part]; !found {
			continue // customize
		}
		paths = append(paths, []string{part})
		for group, objects := range object(request[part]) {
			paths = append(paths, []string{part, group})
			for key := range object(objects) {
				paths = append(paths, []string{part, group, key, "metadata"})
				break
			}
		}
	}
	return paths
}
