package advise

import "fmt"

const (
	// minListed is the number of items from which a sample shows the ages of all.
	minListed = 5000
	// minOfClass is the number of listed items to expect of a slab class from which it is no chance that there are none.
	minOfClass = 100
)

// restarted reports whether the second reading is not of the same run of the server as the first.
func (s *Sample) restarted() bool {
	before, after := s.Before.General.number, s.After.General.number
	return after("uptime") < before("uptime") || after("cmd_get") < before("cmd_get")
}

// keep keeps a listing if it shows the ages of all items. err is why it broke off.
func (s *Sample) keep(listing *Listing, err error) {
	s.Listing = listing
	if s.NoListing = s.unrepresentative(); s.NoListing == "" {
		return
	}
	s.Listing = nil
	if err != nil {
		s.NoListing += ": " + err.Error()
	}
}

// unrepresentative returns why the listed items do not show the ages of all, or "" if they do. Of a complete listing, up to half
// of the items may be missing: memcached does not list expired items, but counts them until it removes them.
func (s *Sample) unrepresentative() string {
	listed, items := 0.0, s.After.General.number("curr_items")
	for _, class := range s.Listing.Classes {
		listed += class.Items
	}
	need := items
	if s.Listing.Complete {
		need = items / 2
	}
	if listed < min(need, minListed) {
		return fmt.Sprintf("the listing has %.0f of %.0f items, which are too few. Try again, or increase --items and --listing-timeout", listed, items)
	}
	for _, c := range s.classes() {
		number, _ := c.item("number")
		if c.listed == nil && number*min(1, listed/max(items, 1)) >= minOfClass {
			return fmt.Sprintf("the listing has no item of slab class %d, which has %.0f of %.0f items. Try again", c.id, number, items)
		}
	}
	return ""
}
