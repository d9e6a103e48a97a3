// Links fails if a relative link in a Markdown page of the repository leads nowhere, or an anchor to no heading. make lint runs it.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page has the links of a Markdown file and the anchors of its headings.
type page struct {
	links   []string
	anchors map[string]bool
}

func main() {
	log.SetFlags(0)
	if err := check("../.."); err != nil {
		log.Fatal(err)
	}
}

// check returns an error with the broken links of all pages below a directory.
func check(root string) error {
	pages := map[string]page{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(file) == ".md":
			pages[file], err = readPage(file)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return fmt.Errorf("no page below %s", root)
	}
	var problems []error
	for file, page := range pages {
		for _, link := range page.links {
			if problem := follow(pages, root, file, link); problem != "" {
				problems = append(problems, fmt.Errorf("%s: the link %s %s", file, link, problem))
			}
		}
	}
	return errors.Join(problems...)
}

// follow returns what is wrong with a link. Links to other sites are not checked.
func follow(pages map[string]page, root, from, link string) (problem string) {
	target, err := url.Parse(link)
	if err != nil {
		return "is not a URL"
	}
	if target.IsAbs() {
		return ""
	}
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

// source matches a link in HTML, such as the link to a picture for dark backgrounds.
var source = regexp.MustCompile(`(?:src|srcset|href)="([^"]+)"`)

func readPage(file string) (page, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return page{}, err
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
	return read, err
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

// addAnchor adds the anchor of a heading, with a number if the page already has this anchor, as on GitHub.
func (p page) addAnchor(anchor string) {
	numbered := anchor
	for i := 1; p.anchors[numbered]; i++ {
		numbered = fmt.Sprintf("%s-%d", anchor, i)
	}
	p.anchors[numbered] = true
}

// slug returns the anchor of a heading, as on GitHub: letters, digits, dashes and underscores in lower case.
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

// plain returns the text of a node without its markup.
func plain(node ast.Node, content []byte) string {
	var words strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if part, ok := child.(*ast.Text); ok {
			words.Write(part.Segment.Value(content))
			continue
		}
		words.WriteString(plain(child, content))
	}
	return words.String()
}
