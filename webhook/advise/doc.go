// Package advise predicts the hit ratio of memcached with more and less memory, and advises what to change. Read reads samples from
// servers; all other functions are pure.
//
// The method is counting. For less memory, a replay of the requests of an interval shows which of them miss in memcached's LRU if it
// has fewer items (miniature simulation: Waldspurger et al., Cache Modeling and Optimization using Miniature Simulations, USENIX ATC
// 2017; a sample of the keys is enough). For more memory, the gets of evicted items show what a larger server hits. The page
// manifests/docs/advise.md has the errors.
package advise
