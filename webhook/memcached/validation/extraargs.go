package validation

import (
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The allow-list of spec.cache.extraArgs. It has neither what another field of the spec sets, nor what changes listeners, users and
// files, nor what runs code (-o proxy_config). It repeats rules of the CRD, which also refuses elements with spaces, with which memcached
// does not start. Reason: open.
//
// https://github.com/memcached/memcached/blob/master/memcached.c, shortopts, longopts and subopts_tokens
const (
	allowedFlags   = `-[CFWX]|--disable-(cas|dumping|flush-all|watch)|(-[Rbfn] |--(listen-backlog|max-reqs-per-event|slab-growth-factor|slab-min-size)[ =])[0-9][0-9.]*`
	allowedOptions = `ext_(compact_under|drop_under|drop_unread|item_age|low_ttl|max_frag|max_sleep|recache_rate)` +
		`|hash_algorithm|hashpower|hot_(lru_pct|max_factor)|idle_timeout|lru_crawler_(sleep|tocrawl)|modern` +
		`|no_(hashexpand|lru_crawler|lru_maintainer|modern|slab_reassign)` +
		`|slab_(automove|automove_freeratio|automove_ratio|automove_window|chunk_max|reassign|sizes)` +
		`|tail_repair_time|temporary_ttl|track_sizes|warm_(lru_pct|max_factor)`
	option = `(` + allowedOptions + `)(=[0-9A-Za-z.-]+)?`
)

// argsPattern matches all elements, separated by spaces. A value follows a flag that needs it, and no other. Most caches have no extraArgs,
// and the compiled pattern takes 200 kB.
var argsPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((` + allowedFlags + `|-o ` + option + `(,` + option + `)*)( |$))*$`)
})

func validateExtraArgs(args []string, path *field.Path) field.ErrorList {
	if joined := strings.Join(args, " "); joined != "" && !argsPattern().MatchString(joined) {
		return field.ErrorList{field.Invalid(path, joined, "must only contain flags, and options of -o, that manifests/docs/configure.md allows. Each flag and each value must be a separate element")}
	}
	return nil
}
