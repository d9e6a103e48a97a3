package validation

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The allow-list of spec.cache.extraArgs. It has neither what another field of the spec sets, nor what changes listeners, users and
// files, nor what runs code (-o proxy_config). The CRD has the same patterns and messages, because it reports them at kubectl apply.
// The hook repeats them, because a CRD of an earlier version may allow more, and render evaluates no CEL.
//
// https://github.com/memcached/memcached/blob/master/memcached.c, shortopts, longopts and subopts_tokens
const (
	// argPattern matches one element with a comma behind it: a flag, a number, or options of -o, each with a comma behind it.
	argPattern = `^(-[A-Za-z-]+(=[0-9.]+)?,|[0-9.]+,|((ext_(compact_under|drop_under|drop_unread|item_age|low_ttl|max_frag|max_sleep|recache_rate)` +
		`|hash_algorithm|hashpower|hot_(lru_pct|max_factor)|idle_timeout|lru_crawler_(sleep|tocrawl)|modern` +
		`|no_(hashexpand|lru_crawler|lru_maintainer|modern|slab_reassign)` +
		`|slab_(automove|automove_freeratio|automove_ratio|automove_window|chunk_max|reassign|sizes)` +
		`|tail_repair_time|temporary_ttl|track_sizes|warm_(lru_pct|max_factor))(=[0-9A-Za-z.-]+)?,)+)$`
	// argsPattern matches all elements, separated by spaces. A value follows a flag that needs it, and no other.
	argsPattern = `^((-[CFWX]|--disable-(cas|dumping|flush-all|watch)` +
		`|(-[Rbfn] |--(listen-backlog|max-reqs-per-event|slab-growth-factor|slab-min-size)[ =])[0-9][0-9.]*|-o [a-z][^ ]*)( |$))*$`

	argMessage  = "must be one flag, one number, or options of -o that the documentation allows, separated by commas"
	argsMessage = "may only have -C, -F, -W, -X, -R, -b, -f and -n with a number, their long forms, and -o with options; each flag and each value is an element"
)

var (
	argRegexp  = regexp.MustCompile(argPattern)
	argsRegexp = regexp.MustCompile(argsPattern)
)

func validateExtraArgs(args []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, arg := range args {
		if !argRegexp.MatchString(arg + ",") {
			errs = append(errs, field.Invalid(path.Index(i), arg, argMessage))
		}
	}
	if joined := strings.Join(args, " "); !argsRegexp.MatchString(joined) {
		errs = append(errs, field.Invalid(path, joined, argsMessage))
	}
	return errs
}
