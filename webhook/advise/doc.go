// Package advise predicts the hit ratio of memcached with more and less memory, and advises what to change. Read reads samples from
// servers; all other functions are pure.
//
// The method is the working-set theory (Denning, The Working Set Model for Program Behavior, CACM 1968), for the segments of
// memcached's LRU: the ages of the items that no client got since they were stored, and the hits in each segment, show how often
// clients request keys. From that follow the misses of a cache of any size. The page manifests/docs/advise.md has the errors.
//
// The plot is github.com/guptarohit/asciigraph, which is maintained and has no dependencies of its own.
package advise
