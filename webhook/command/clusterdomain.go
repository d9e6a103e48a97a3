package command

import (
	"os"
	"strings"
)

const resolverFile = "/etc/resolv.conf"

// searchedDomain returns the domain of the cluster from a resolver's configuration; "" if it is not that of a pod. The kubelet writes
// "search NAMESPACE.svc.DOMAIN svc.DOMAIN DOMAIN".
func searchedDomain(file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "search" {
			continue
		}
		if domain, found := strings.CutPrefix(words[2], "svc."); found && strings.HasSuffix(words[1], "."+words[2]) {
			return domain
		}
	}
	return ""
}
