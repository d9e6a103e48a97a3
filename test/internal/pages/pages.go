// Package pages reads the code blocks of the Markdown pages, so that tests run and check what users copy.
package pages

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Block is a fenced block of code.
type Block struct {
	// Place is the page and the line of the fence, for messages.
	Place string
	// Language is the first word behind the fence, such as sh.
	Language string
	// Lines are without the indentation of the fence.
	Lines []string
	// Section counts the headings before the block.
	Section int
	// Output is what the last command of a block of the language sh prints: the next block of the section, if its language is text.
	Output []string
}

// Text returns the lines, each with its end.
func (b Block) Text() string { return strings.Join(b.Lines, "\n") + "\n" }

// Find returns the pages below a directory. It skips hidden directories except .github, and packages of npm.
func Find(root string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := file != root && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".github"
		if entry.IsDir() && (hidden || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(file) == ".md" {
			found = append(found, file)
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no page below %s", root)
	}
	return found, err
}

// Blocks returns the blocks of a page.
func Blocks(file string) ([]Block, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Block
	open, indent, section := false, 0, 0
	for i, line := range strings.Split(string(content), "\n") {
		language, isFence := strings.CutPrefix(strings.TrimLeft(line, " "), "```")
		switch {
		case isFence && !open:
			open, indent = true, strings.Index(line, "```")
			all = append(all, Block{Place: fmt.Sprintf("%s:%d", file, i+1), Language: language, Section: section})
		case isFence && indent == strings.Index(line, "```"):
			open = false
		case open:
			last := &all[len(all)-1]
			last.Lines = append(last.Lines, line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):])
		case strings.HasPrefix(line, "#"):
			section++
		}
	}
	if open {
		return nil, fmt.Errorf("%s: the last block does not end", all[len(all)-1].Place)
	}
	for i := range all[:max(0, len(all)-1)] {
		if next := all[i+1]; all[i].Language == "sh" && next.Language == "text" && next.Section == all[i].Section {
			all[i].Output = next.Lines
		}
	}
	return all, nil
}

// Command is a command of a block, with the output that the page shows. Continued lines are part of Text.
type Command struct {
	Text   string
	Output []string
}

// Commands returns the commands of a block of the language sh or console, and nothing for other languages. In sh, each line is a
// command, unless it is indented or the line before ends with a backslash or a pipe.
func (b Block) Commands() []Command {
	if b.Language != "sh" && b.Language != "console" {
		return nil
	}
	var all []Command
	continued := false
	for _, line := range b.Lines {
		isCommand := strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#")
		if b.Language == "console" {
			line, isCommand = strings.CutPrefix(line, "$ ")
		}
		last := len(all) - 1
		switch {
		case continued, b.Language == "sh" && last >= 0 && strings.HasPrefix(line, " "):
			all[last].Text += "\n" + line
		case isCommand:
			all = append(all, Command{Text: line})
		case b.Language == "console" && last >= 0:
			all[last].Output = append(all[last].Output, line)
			continue
		}
		continued = strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "|")
	}
	if len(all) > 0 && b.Language == "sh" {
		all[len(all)-1].Output = b.Output
	}
	return all
}
