package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
)

var callsOfMemcached = regexp.MustCompile(`^hook_requests_total\{code="\d+",controller="memcached",hook="(\w+)"\} (\d+)`)

// hookCalls returns the number of calls of each Memcached hook from the hook's metrics.
func hookCalls(ctx context.Context, url string) (map[string]int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", url, response.Status)
	}
	return parseCalls(response.Body)
}

func parseCalls(metrics io.Reader) (map[string]int, error) {
	calls := map[string]int{}
	lines := bufio.NewScanner(metrics)
	for lines.Scan() {
		if match := callsOfMemcached.FindStringSubmatch(lines.Text()); match != nil {
			n, err := strconv.Atoi(match[2])
			if err != nil {
				return nil, fmt.Errorf("reading the metrics of the hook: %q: %w", lines.Text(), err)
			}
			calls[match[1]] += n
		}
	}
	return calls, lines.Err()
}
