package manifests

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page is what a Markdown file links to, and what can be linked to in it.
type page struct {
	links   []string
	anchors map[string]bool
}

// TestLinks holds that every relative link of every page leads to a file or folder of the repository, and every anchor
// to a heading.
func TestLinks(t *testing.T) {
	pages := pages(t)
	checked := 0
	for file, page := range pages {
		for _, link := range page.links {
			target, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: the link %q is no URL: %v", file, link, err)
				continue
			}
			if target.IsAbs() {
				continue // another site's
			}
			checked++
			if problem := follow(pages, file, target); problem != "" {
				t.Errorf("%s: the link %s %s", file, link, problem)
			}
		}
	}
	if checked == 0 {
		t.Error("no page has a relative link")
	}
}

// pages reads every Markdown file.
func pages(t *testing.T) map[string]page {
	t.Helper()
	found := map[string]page{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && filepath.Ext(file) == ".md" {
			found[file] = readPage(t, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// follow says what is wrong with a relative link, if something is.
func follow(pages map[string]page, from string, target *url.URL) string {
	file := from
	if target.Path != "" {
		file = filepath.Join(filepath.Dir(from), filepath.FromSlash(target.Path))
	}
	info, err := os.Stat(file)
	if err != nil {
		return "leads nowhere"
	}
	if below, err := filepath.Rel(root, file); err != nil || strings.HasPrefix(below, "..") {
		return "leads out of the repository"
	}
	if info.IsDir() {
		file = filepath.Join(file, "README.md")
	}
	if page, ok := pages[file]; target.Fragment != "" && (!ok || !page.anchors[target.Fragment]) {
		return fmt.Sprintf("names a heading that %s does not have", file)
	}
	return ""
}

// source is a link in HTML, such as that of a picture for dark backgrounds.
var source = regexp.MustCompile(`(?:src|srcset|href)="([^"]+)"`)

func readPage(t *testing.T, file string) page {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	read := page{anchors: map[string]bool{}}
	add := func(links ...string) { read.links = append(read.links, links...) }
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(content))
	err = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Link:
			add(string(node.Destination))
		case *ast.Image:
			add(string(node.Destination))
		case *ast.HTMLBlock:
			add(sources(node.Lines(), content)...)
		case *ast.RawHTML:
			add(sources(node.Segments, content)...)
		case *ast.Heading:
			read.addAnchor(slug(plain(node, content)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func sources(segments *text.Segments, content []byte) []string {
	var links []string
	for i := range segments.Len() {
		segment := segments.At(i)
		for _, match := range source.FindAllSubmatch(segment.Value(content), -1) {
			links = append(links, string(match[1]))
		}
	}
	return links
}

// addAnchor adds a heading's anchor; one that is there already gets a number, as on GitHub.
func (p page) addAnchor(anchor string) {
	numbered := anchor
	for i := 1; p.anchors[numbered]; i++ {
		numbered = fmt.Sprintf("%s-%d", anchor, i)
	}
	p.anchors[numbered] = true
}

// slug makes an anchor of a heading as GitHub does: letters, digits, dashes and underscores in lower case.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// plain is a node's text without its marks.
func plain(node ast.Node, content []byte) string {
	var words strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if text, ok := child.(*ast.Text); ok {
			words.Write(text.Segment.Value(content))
			continue
		}
		words.WriteString(plain(child, content))
	}
	return words.String()
}
