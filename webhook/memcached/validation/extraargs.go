package validation

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// allowedArgs matches the flags and options that spec.cache.extraArgs may have, separated by spaces. It has neither what another
// field of the spec sets, nor what changes listeners, users and files, nor what runs code (-o proxy_config). The CRD has the same
// two patterns and the same message; the hook repeats them, because a CRD of an earlier version may allow more.
//
// https://github.com/memcached/memcached/blob/master/memcached.c, shortopts, longopts and subopts_tokens
const (
	allowedArgs = `^((-[CFWX]|--disable-(cas|dumping|flush-all|watch)` +
		`|(-[Rbfn] |--(listen-backlog|max-reqs-per-event|slab-growth-factor|slab-min-size)[ =])[0-9][0-9.]*` +
		`|-o([ ,](ext_(compact_under|drop_under|drop_unread|item_age|low_ttl|max_frag|max_sleep|recache_rate)` +
		`|hash_algorithm|hashpower|hot_(lru_pct|max_factor)|idle_timeout|lru_crawler_(sleep|tocrawl)|modern` +
		`|no_(hashexpand|lru_crawler|lru_maintainer|modern|slab_reassign)` +
		`|slab_(automove|automove_freeratio|automove_ratio|automove_window|chunk_max|reassign|sizes)` +
		`|tail_repair_time|temporary_ttl|track_sizes|warm_(lru_pct|max_factor))(=[0-9A-Za-z.-]+)?)+)( |$))*$`
	argCharacters = `^[0-9A-Za-z_.,=-]+$`

	argsMessage = "may only have -C, -F, -W, -X, -R, -b, -f and -n with a number, their long forms, and -o with the options of the documentation; each flag and each value is an element"
)

var (
	allowedArgsPattern   = regexp.MustCompile(allowedArgs)
	argCharactersPattern = regexp.MustCompile(argCharacters)
)

func validateExtraArgs(args []string, path *field.Path) field.ErrorList {
	errs := validateMaxItems(path, len(args), 32)
	for i, arg := range args {
		if !argCharactersPattern.MatchString(arg) {
			errs = append(errs, field.Invalid(path.Index(i), arg, "must consist of letters, digits and the characters _.,=-"))
		}
		if len(arg) > 256 {
			errs = append(errs, field.TooLong(path.Index(i), arg, 256))
		}
	}
	if joined := strings.Join(args, " "); !allowedArgsPattern.MatchString(joined) {
		errs = append(errs, field.Invalid(path, joined, argsMessage))
	}
	return errs
}
