-- Routes of the proxy, for memcached's routelib:
--   memcached -o proxy_config=routelib:library.lua,proxy_arg=config.lua
-- The configuration calls servers{to = {...}}, or during a change of the servers
--   servers{from = {...}, to = {...}, phase = "announcing" | "preparing" | "warming" | "closing"}
-- with the host:port of the servers before the change (from) and after it (to).
--
-- A server stays if it has the same place in both lists. A jump hash distributes the keys to places: a key has the same place in both
-- lists, or one that only the longer list has. So a key keeps its server, or it moves: `from` is its server before the change, and `to` the
-- one after it. README.md has what the item on `from` means for such a key, and what each phase does with it.

-- A memcached that lacks functions of this file does not start: it would fail with the first key that moves. Only the threads that serve
-- have requests. raw_line came with raw_string of responses. The message is the last line of the log, which the status of the pod has:
-- after error(), that would be a line of the stack.
if mcp.request and not mcp.request("mg k\r\n").raw_line then
    io.stderr:write("memcached 1.6.40 or later is needed for proxies\n")
    os.exit(1)
end

-- TIMEOUT limits in seconds how long a connection, and a response, may take. It is more than a second, because the kernel repeats a lost
-- packet of a new connection after one, and a thread that waits for a lost packet of the DNS reads no responses for one.
local TIMEOUT <const> = 1.4
-- A command that has waited LEASE seconds for another proxy takes over. Longer than all timeouts of a request.
local LEASE <const> = 3
-- The TTL of fences in seconds: after a crash in warming, proxies after the change return a fence as an empty item.
local FENCE <const> = 2
-- The bytes of the longest key, and of a line to which a proxy adds flags: a request to a server has less than 500.
local MAX_KEY <const>, MAX_LINE <const> = 250, 440
local MAX_NUMBER <const> = "18446744073709551615" -- the largest CAS unique, delta and initial value
local MAX_RELATIVE_TTL <const> = 60 * 60 * 24 * 30 -- memcached reads a larger TTL as a Unix time
local MAX_TIME <const> = (1 << 31) - 1 -- the last one that it accepts
-- PAUSE is the first of pauses in seconds, which double up to MAX_PAUSE. A command that waits for its turn looks LOOKS times before.
local LOOKS <const>, PAUSE <const>, MAX_PAUSE <const> = 16, 0.001, 0.05
local function pauseAfter(times) return math.min(PAUSE * 2 ^ times, MAX_PAUSE) end
-- HANDLES is how many requests a command sends at most to each server: enough to wait for LEASE, and then to move the item, which takes
-- MOVE requests.
local HANDLES <const> = { unmoved = 1, from = 28, to = 20 }
local MOVE <const> = 7
-- A request to a server takes more than LOCAL microseconds, on loopback at least 9. One for a server that is marked as down
-- usually fails within 1.
local LOCAL <const> = 5
-- The opaque of the Job's reads. They return SERVER_ERROR until it is certain that the item has moved, is missing, or cannot move. The Job
-- first reads this as a key, without u: proxies in warming respond "SERVER_ERROR warming". It reads the items of clients, which may have this key, with u.
local COPY <const> = "memcached-operator-copy"

-- settings, pools and routes for the servers before and after a change. A pool in which the servers at some places are marked as down
-- tells keys apart: a request for a key of a server that is marked as down fails within the proxy.
function servers(change)
    settings{
        backend_connect_timeout = TIMEOUT, backend_read_timeout = TIMEOUT, tcp_keepalive = true,
        backend_retry_waittime = 1, -- seconds from one attempt to connect to the next
        backend_failure_limit = 1,  -- the first failure reconnects immediately, because a client can cause it
    }
    local from, to = change.from, change.to
    local backends = { to = to }
    if change.phase == "announcing" then
        backends = { from = from } -- new servers may not exist yet
    elseif from then
        local grows = #to > #from
        local unmoved, rest, anySame = {}, {}, false
        for i, server in ipairs(grows and to or from) do
            local same, down = to[i] == from[i], { host = "moved", port = "0", label = "moved", down = true }
            unmoved[i] = same and server or down
            rest[i] = same and down or server
            anySame = anySame or same
        end
        backends = { unmoved = anySame and unmoved or nil, from = grows and from or rest, to = grows and rest or to }
    end
    local all, route = {}, { phase = change.phase }
    for pool, list in pairs(backends) do
        all[pool], route["child_" .. pool] = { backends = list }, pool
    end
    pools(all)
    routes{ default = route_servers(route) }
end

-- Each phase has counters of its own: the exporter returns hits_warming as reads of clients in WarmingUp that found an item.
function route_servers_conf(arguments, ctx)
    local phase = arguments.phase or "steady"
    arguments.hits, arguments.misses = ctx:get_stats_id("hits_" .. phase), ctx:get_stats_id("misses_" .. phase)
    return arguments
end

---- Commands and results

-- A result of a command is the response of a server, a text, or one of these: BUSY if it found other commands at the same key again and
-- again, NOTHING if the client gets no bytes, and RETRY, which no client gets: another command was faster, and this one runs again.
local function never() return false end
local function failure(text) return { ok = never, hit = never, raw_string = function() return text end } end
local BUSY <const>, NOTHING <const>, RETRY <const> = failure("SERVER_ERROR busy\r\n"), "", failure("")

-- responded reports whether a server responded. It is false for a server that is down, and for a key of another pool.
local function responded(res) return res:ok() or (res:raw_string() or ""):find("^%u*_?ERROR") ~= nil end
-- refused reports whether a server has refused a request, so that it never executes it.
local function refused(res) return responded(res) and not res:ok() end
-- done reports whether a server has executed a conditional change.
local UNDONE <const> = { [mcp.MCMC_CODE_NOT_FOUND] = true, [mcp.MCMC_CODE_NOT_STORED] = true, [mcp.MCMC_CODE_EXISTS] = true }
local function done(res) return res:ok() and not UNDONE[res:code()] end
-- conclusive returns the response to a conditional change, or RETRY if its condition did not hold.
local function conclusive(res) return (done(res) or not res:ok()) and res or RETRY end

-- VERBS are the commands by their number in mcp. READS count as hits or misses.
local VERBS <const>, READS <const> = {}, { get = true, gets = true, gat = true, gats = true, mg = true }
for verb in ("get gets gat gats mg me ms ma md set add replace cas append prepend touch incr decr delete"):gmatch("%l+") do
    VERBS[mcp["CMD_" .. verb:upper()]] = verb
end

-- CLASSIC has meta commands for the classic commands that change an item: only those have conditions.
local CLASSIC <const> = {
    set = "ms %s %s F%s T%s", add = "ms %s %s F%s T%s ME", replace = "ms %s %s F%s T%s MR", cas = "ms %s %s F%s T%s C%s",
    append = "ms %s %s F%s T%s MA", prepend = "ms %s %s F%s T%s MP", touch = "mg %s T%s",
    incr = "ma %s D%s v", decr = "ma %s D%s MD v", delete = "md %s",
}
-- WORDS is how many words a command has at least before noreply, which can also stand in the place of an argument.
local WORDS <const> = { touch = 2, incr = 2, decr = 2, delete = 2 }
-- RESPONSES has classic responses for codes of meta commands, if they are not those of one command.
local RESPONSES <const> = { HD = "STORED", NS = "NOT_STORED", EX = "EXISTS", NF = "NOT_FOUND", EN = "END" }
local RESPONSES_OF <const> = { delete = { HD = "DELETED" }, touch = { HD = "TOUCHED", EN = "NOT_FOUND" } }
-- REFUSALS has what memcached says about a command with a word that it refuses, if it is not FORMAT or BAD_TOKEN.
local FORMAT <const>, DELTA <const>, EXPTIME <const> = "bad command line format", "invalid numeric delta argument", "invalid exptime argument"
local REFUSALS <const> = { incr = DELTA, decr = DELTA, touch = EXPTIME, gat = EXPTIME, gats = EXPTIME, ma = "invalid or duplicate flag" }
local BAD_TOKEN <const> = "bad token in command line format"

-- as32Bits returns a number of set, add, replace, cas, append or prepend as memcached stores it: 32 bits of what strtol reads.
local function as32Bits(letter, word)
    if word == "0" then return word end
    local digits = word:match("^[+-]?%d+%f[%s\0]")
    local n = digits and math.tointeger(tonumber(digits))
    if not n or letter == "F" and n < 0 then return "x" end
    return ("%d"):format(letter == "F" and n & 0xffffffff or (n + 0x80000000 & 0xffffffff) - 0x80000000)
end

-- invalid reports whether memcached refuses a flag of a meta command.
local function invalid(verb, letter, rest)
    if rest == "0" and letter:find("[CDEFJNRT]") then
        return false
    elseif letter:find("[FNRT]") then
        return not rest:find("^%-?%d+$") or tonumber(rest) ~= tonumber(as32Bits(letter, rest))
    elseif letter:find("[CDEJ]") then
        return not rest:find("^%d+$") or #rest > #MAX_NUMBER or #rest == #MAX_NUMBER and rest > MAX_NUMBER
    elseif letter == "M" and (verb == "ms" or verb == "ma") then
        return not rest:find(verb == "ms" and "^[AEPRS]" or "^[-+DI]")
    end
    return letter == "O" and #rest > 31 or not letter:find("[ILMOPbcfhklqstuvx]")
end

-- split returns the words of a line. (token returns the key for every number.)
local function split(line)
    local words = {}
    for word in line:gmatch("[^ ]+") do
        words[#words + 1] = word
    end
    return words
end
local function token(r, flag) return select(2, r:flag_token(flag)) end

-- base64 returns the flag for a key that the client sends encoded. me reads flags only if it has more than one.
local function base64(r) return r:has_flag("b") and (VERBS[r:command()] ~= "me" or r:ntokens() > 3) and " b" or "" end

-- request returns a request with the value of another one. Lua does not count values, and collects when its own memory has doubled: after a burst of
-- commands, hundreds of values of 1 MB would wait for that in each thread. So each value counts four times, because the second collection frees it.
local function request(line, r)
    local bytes = math.tointeger(tonumber(line:match("^ms +[^ ]+ +(%d+)"))) or 0
    if bytes >= 1024 then collectgarbage("step", bytes >> 8) end
    return mcp.request(line, r)
end

-- meta returns a meta command without the flags of some letters, and with other flags.
local function meta(r, letters, added)
    local command, flags = r:raw_line():match("^([^ ]+ +[^ ]+)(.*)$")
    if letters then flags = flags:gsub("%f[ ] +[" .. letters .. "][^ ]*", "") end -- %f: otherwise it looks again at each of many spaces
    return request(command .. flags .. added .. "\r\n", r)
end

-- toClassic returns the response to a classic command for the one to its meta command.
local function toClassic(verb, res)
    local text = type(res) == "string" and res or res:ok() and res:raw_string() or ""
    local code, rest = text:match("^(%u%u)[ \r].-\n(.*)$")
    local word = RESPONSES_OF[verb] and RESPONSES_OF[verb][code] or RESPONSES[code]
    return code == "VA" and rest or word and word .. "\r\n" or res
end

-- endLine makes the proxy write a line again, with CR and LF, of which raw_line cuts two characters: a client may send LF alone. It returns
-- false if the line would be too long.
local function endLine(r, verb) return (pcall(r.token, r, 1, verb)) end

-- afterKey returns what follows the key of a command.
local function afterKey(line) return line:match("^[^ ]+ +[^ ]+(.*)") or "" end

-- creates reports whether a command stores an item for a missing key.
local function creates(verb, storeMode, flags)
    if storeMode == "S" then return not flags.C end
    if storeMode == "E" then return true end
    return storeMode ~= "R" and verb ~= "md" and flags.N
end

-- A Command runs the commands of clients, one at a time. It has the words and flags of one, its turn on the connection, and its key.
local Command <const> = {}
Command.__index = Command

-- parse reads a command, a classic one that changes an item as a meta command. It returns the response to one that memcached refuses.
function Command:parse(r)
    local words, flags = split(r:raw_line()), {}
    local verb, gat = words[1], words[1]:find("^gat")
    local classic, refuses = CLASSIC[verb], gat and invalid("mg", "T", words[2])
    if classic then
        local line = classic:find("^ms") and classic:format(words[2], words[5], as32Bits("F", words[3]), as32Bits("T", words[4]),
            words[6] or "") or classic:format(words[2], words[3])
        r, words = request(line .. "\r\n", r), split(line)
    end
    self.r, self.verb, self.words, self.flags = r, words[1], words, flags
    for i = self.verb == "ms" and 4 or 3, self.verb:find("^m[^e]") and #words or 0 do
        local letter, rest = words[i]:sub(1, 1), words[i]:sub(2)
        refuses = refuses or flags[letter] or invalid(self.verb, letter, rest)
        flags[letter] = rest
    end
    self.storeMode = self.verb == "ms" and (flags.M or "S"):sub(1, 1)
    self.key.touches = gat or self.verb == "mg" and flags.T -- memcached has no condition for a change of the TTL
    self.key.creates = creates(self.verb, self.storeMode, flags)
    return refuses and "CLIENT_ERROR " .. (REFUSALS[verb] or classic and FORMAT or BAD_TOKEN) .. "\r\n"
end

-- respond returns a response to a meta command, with the flags that a server returns for it. values has those of the item.
function Command:respond(code, values, body)
    if code == "EN" and self.r:has_flag("q") then return NOTHING end
    values = values or self.storeMode and { c = 0, s = tonumber(self.words[3]) } or {}
    values.k = self.r:key() .. base64(self.r)
    for i = 3, #self.words do
        local letter = self.words[i]:sub(1, 1)
        local value = letter == "O" and self.words[i] or values[letter] and letter .. values[letter]
        code = value and code .. " " .. value or code
    end
    return code .. "\r\n" .. (body or "")
end

-- miss returns the response to a command that does not create an item, for a missing key.
function Command:miss(r)
    local verb = VERBS[r:command()]
    if verb == "me" then return "EN\r\n" end
    if verb == "mg" then return self:parse(r) or self:respond("EN") end
    if READS[verb] then return "END\r\n" end
    if self.storeMode == "A" or self.storeMode == "P" or self.storeMode == "R" and not self.flags.C then return self:respond("NS") end
    return self:respond("NF")
end

---- Order

-- queues has the commands under way of each connection: their number at 1, and by key how many have begun, how many of those have ended
-- with all before them, the place of the last change, and true at the places of others that have ended. A connection stays on its thread,
-- and its proxy works on up to 20 lines, and all keys of a line, at the same time.
local queues, unused = {}, nil

-- A Turn is the place of a command in the queue of its connection and key.
local Turn <const> = {}
Turn.__index = Turn

function Turn:enter(connection, key, reads)
    local keys = queues[connection] or { 0 }
    local queue = keys[key] or unused or { begun = 0, ended = 0, changed = 0 }
    queues[connection], keys[key], keys[1], unused = keys, queue, keys[1] + 1, nil
    queue.begun = queue.begun + 1
    self.connection, self.key, self.queue, self.place, self.lastChange = connection, key, queue, queue.begun, queue.changed
    if not reads then queue.changed = queue.begun end
    return self
end

-- __close ends the turn of a command, also of one that fails.
function Turn:__close()
    local queue, ended, keys = self.queue, self.place, queues[self.connection]
    keys[1], queues[self.connection] = keys[1] - 1, keys[1] > 1 and keys or nil
    if ended > queue.ended + 1 then
        queue[ended] = true
        return
    end
    while queue[ended + 1] do ended, queue[ended + 1] = ended + 1, nil end
    queue.ended = ended
    if ended == queue.begun then keys[self.key], unused = nil, queue end
end

-- waitFor waits until so many commands of the queue have ended. With true, the exploration knows that no other proxy ends the wait.
function Turn:waitFor(place)
    local queue, looks, ended = self.queue, 0, nil
    while queue.ended < place do
        looks, ended = queue.ended == ended and looks + 1 or 0, queue.ended
        self.rctx:sleep(looks < LOOKS and 0 or pauseAfter(looks - LOOKS), true)
    end
end

---- Items

-- The first 12 bits of the CAS uniques of proxies. 30 bits of time and 19 of a random number follow, then the state of the item, and a bit
-- that says that the key is in base64, which memcached forgets while an item is owned. Servers count CAS uniques from 1.
local PROXY_MARK <const> = 0x6d6
local OWNED <const>, CLAIM <const>, LOCK <const> = 0, 1, 2
-- A fence on `to` has the CAS unique of the owned item or claim on `from` for which it was placed. A lock is there during a mg with N.
local STATES <const> = { from = { [OWNED] = "owned", [CLAIM] = "claim", [LOCK] = "lock" },
    to = { [OWNED] = "fence of owned", [CLAIM] = "fence of claim", [LOCK] = "lock" } }

local function proxyCas(r, kind)
    local time, random = mcp.time_real_millis() & 0x3fffffff, math.random(0, 0x7ffff)
    return tostring(PROXY_MARK << 52 | time << 22 | random << 3 | kind << 1 | (base64(r) == "" and 0 or 1))
end

-- clientCas returns a CAS unique of a plain item.
local function clientCas() return math.random(1 << 32, (PROXY_MARK << 52) - 1) end

-- marked returns a CAS unique of proxies as a number, and otherwise nil.
local function marked(cas)
    cas = math.tointeger(tonumber(cas)) or 0
    return cas >> 52 == PROXY_MARK and cas or nil
end

-- state returns the state of an item of a pool with a CAS unique.
local function state(pool, cas)
    cas = marked(cas)
    return cas and STATES[pool][cas >> 1 & 3] or "plain"
end

-- A Key sends the requests of one command at a time to the servers of its key, and counts them. It has the protocol for the items there.
local Key <const> = {}
Key.__index = Key

function Key:begin(r)
    self.r, self.name, self.touches, self.creates, self.waitedFor = r, r:key(), false, false, nil
    self.sent.unmoved, self.sent.from, self.sent.to = 0, 0, 0
end

-- run sends a request to a pool. A handle serves one request of a command, so each request takes the next handle.
function Key:run(r, pool)
    local sent = self.sent[pool] + 1
    self.sent[pool] = sent
    local handle = self.pools[pool][sent]
    return handle and self.rctx:enqueue_and_wait(r, handle) or BUSY
end

-- send sends a meta command for the key to a pool.
function Key:send(pool, command, flags, value)
    local size = value and " " .. #value - 2 or ""
    return self:run(mcp.request(command .. " " .. self.name .. size .. base64(self.r) .. flags .. "\r\n", value), pool)
end

-- waitForOwner pauses for the proxy that has given an item its CAS unique, each time longer. It returns false after LEASE seconds.
function Key:waitForOwner(cas)
    self.waited, self.waitedFor = self.waitedFor == cas and self.waited or 0, cas
    if self.waited >= LEASE then return false end
    local pause = self.waited == 0 and PAUSE or math.min(2 * self.waited, 1)
    self.rctx:sleep(pause)
    self.waited = self.waited + pause
    return true
end

-- giveBack gives the W of a stale item, which a mg of this proxy has taken, to the next client.
function Key:giveBack(pool, cas) self:send(pool, "md", " I C" .. cas .. " E" .. cas) end

-- peek returns the item of a pool, and its value if wanted. It does not count as a use of the item.
function Key:peek(pool, withValue)
    local res = self:send(pool, "mg", withValue and " u f t c v" or " u f t c")
    if not res:ok() then return { state = "down", res = res } end
    if not res:hit() then return { state = "absent" } end
    local item, rest = { value = withValue and res:raw_string():sub(-res:vlen() - 2) }, nil
    item.flags, item.ttl, item.cas, rest = res:raw_string():match("^%u+[ %d]* f(%d+) t(%-?%d+) c(%d+)(.-)\r\n")
    item.state, item.stale = state(pool, item.cas), rest:find("[WXZ]") ~= nil
    if rest:find("W") then self:giveBack(pool, item.cas) end
    return item
end

-- has reports whether the item of a pool has a CAS unique, and remove whether it has removed that item. place stores an empty one.
function Key:has(pool, cas) return self:peek(pool).cas == cas end
function Key:remove(pool, cas) return done(self:send(pool, "md", " C" .. cas)) end
function Key:place(pool, cas, ttl) return self:send(pool, "ms", " ME E" .. cas .. " T" .. ttl, "\r\n") end
function Key:placeClaim(claim) return self:place("from", claim, LEASE) end
function Key:placeFence(cas) return self:place("to", cas, FENCE) end
function Key:placeLock(lock) return self:place("to", lock, FENCE) end

-- storeOwned stores the item that this proxy owns on `from` in a pool, in place of what has the CAS unique of the owner there. It returns
-- RETRY if this proxy is not the owner.
function Key:storeOwned(owned, pool, newCas)
    local item = self:peek("from", true) -- another proxy may have taken it, or changed its TTL
    if item.cas ~= owned then return RETRY end
    local ttl = item.ttl == "-1" and 0 or math.max(tonumber(item.ttl), 1) -- a server returns 0 for less than a second
    if ttl > MAX_RELATIVE_TTL then ttl = math.min(mcp.time_real_millis() // 1000 + ttl, MAX_TIME) end -- clocks differ
    return self:send(pool, "ms", " C" .. owned .. " F" .. item.flags .. " T" .. ttl .. newCas, item.value)
end

-- takeOwnership makes this proxy the owner of an item on `from`. It returns the CAS unique, or nil if another command was faster. An append
-- of nothing keeps everything else. memcached does not append to an item on flash.
function Key:takeOwnership(cas)
    local owned = proxyCas(self.r, OWNED)
    local res = self:send("from", "ms", " MA C" .. cas .. " E" .. owned, "\r\n")
    if not done(res) then res = self:storeOwned(cas, "from", " E" .. owned) end
    return done(res) and owned or nil
end

-- clear removes a fence or a copy of another owner from `to`, while this proxy owns the item on `from`. It reports whether it is gone.
function Key:clear(owned)
    local item = self:peek("to")
    if item.state == "absent" then return true end
    return item.state ~= "down" and self:has("from", owned) and self:remove("to", item.cas)
end

-- recover takes an item from an owner that has not finished, with what that owner may have stored on `to`.
function Key:recover(cas)
    local owned = self:takeOwnership(cas)
    if owned and (self.phase == "announcing" or self:clear(owned)) then self:storeOwned(owned, "from", "") end
end

-- move moves an item from `from` to `to`, with its CAS unique. If a step fails, `from` still decides. It reports whether the item has
-- moved, is missing, or cannot move. The Job waits for owners, because no client may ever use the item.
function Key:move(forJob)
    local item = forJob and self:fromItem() or self:peek("from")
    if item.state == "owned" or item.state == "down" then return false end
    if item.state ~= "plain" or item.stale then return true end -- the copy of a stale item would be a fresh one
    local owned = self:takeOwnership(item.cas)
    return owned ~= nil and self:copy(owned, " E" .. item.cas, forJob)
end

-- copy moves an item that this proxy owns. An item that does not move gets its CAS unique again on `from`.
function Key:copy(owned, oldCas, forJob)
    local fence = self:placeFence(owned)
    if not done(fence) and self:clear(owned) then fence = self:placeFence(owned) end
    if not done(fence) then
        self:storeOwned(owned, "from", oldCas)
        return refused(fence)
    end
    local copied = self:storeOwned(owned, "to", oldCas)
    if done(copied) then
        local moved = self:remove("from", owned)
        for _ = 1, forJob and 0 or 2 do self:send("to", "mg", "") end -- read twice, it outlives older items that the Job moves later
        return moved
    end
    if copied ~= RETRY and not responded(copied) then return false end -- it can still arrive. The next owner removes the fence first
    self:remove("to", owned)
    self:storeOwned(owned, "from", oldCas)
    return refused(copied) -- the item may be too large
end

-- fromItem returns the item on `from` if `from` decides, and otherwise an absent one.
function Key:fromItem()
    local closing = self.phase == "closing"
    local waitsForClaims = self.phase == "announcing" or self.creates and not closing
    while true do
        local item = self:peek("from", self.touches)
        if item.state == "absent" or item.state == "down" or item.state == "plain" and not closing then return item end
        if item.state == "claim" and not waitsForClaims then return { state = "absent" } end
        if item.state == "plain" or not self:waitForOwner(item.cas) then
            if closing and self:peek("to").state == "down" then -- `from` and `to` can be parts of a server that was down a moment ago
                return { state = "down", res = BUSY }
            elseif closing or item.state ~= "owned" then
                self:remove("from", item.cas)
            else
                self:recover(item.cas)
            end
        end
    end
end

-- toItem returns the item on `to` if `to` decides. It waits for fences in use, and removes others, so that an owner that is late does not
-- copy an item that `from` has lost.
function Key:toItem()
    while true do
        local item = self:peek("to", self.touches)
        if item.state == "absent" or item.state == "plain" or item.state == "down" then return item end
        local inUse = item.state == "lock" or item.state == "fence of claim" and self:has("from", item.cas)
        if not inUse or not self:waitForOwner(item.cas) then self:remove("to", item.cas) end
    end
end

---- Reads and changes

-- shownCas returns the CAS unique that a response shows. (Before memcached 1.6.45, line returns that of another response.)
local function shownCas(verb, r, res)
    if verb == "get" then return nil end
    local pattern = verb == "gets" and "^VALUE [^ ]+ %d+ %d+ (%d+)" or r:has_flag("c") and "^[^\n]- c(%d+)"
    return pattern and res:raw_string():match(pattern) or nil
end

-- readPool runs a read in a pool. It returns the response, the state of the item, and the CAS unique if it is shown. An empty item can be
-- one of a proxy: if the response does not show it, the item is the same before and after the read.
function Command:readPool(r, pool)
    local verb, before = VERBS[r:command()], nil
    local hides = verb == "mg" and not r:has_flag("v") and not r:has_flag("c") -- a second mg would get no W
    if hides then r = meta(r, nil, " c") end
    while true do
        local res = self.key:run(r, pool)
        if not res:ok() then return res, "down" end
        if not res:hit() then return res, "absent" end
        local cas = shownCas(verb, r, res)
        if hides then return res:raw_string():gsub(" c" .. cas, "", 1), state(pool, cas) end
        if cas or res:vlen() > 0 then return res, cas and state(pool, cas) or "plain", cas end
        local item = self.key:peek(pool)
        if item.cas == before or item.state ~= "plain" and item.state ~= "owned" then return item.res or res, item.state end
        if res:raw_string():find("^VA 0[^\n]* W") then self.key:giveBack(pool, item.cas) end
        before = item.cas
    end
end

function Command:readTo(r)
    while true do
        local res, seen = self:readPool(r, "to")
        if seen == "plain" or seen == "down" then return res end
        if seen ~= "fence of owned" then return self:miss(r) end
        self.key:toItem()
    end
end

-- read runs a read. It also returns whether `from` has the item.
function Command:read(r)
    if self.phase == "closing" then
        local item = self.key:fromItem()
        return item.state == "down" and item.res or self:readTo(r), false
    end
    while true do
        local res, seen, cas = self:readPool(r, "from")
        if seen == "down" then return res, false end
        if seen == "absent" or seen == "claim" then return self.phase == "announcing" and self:miss(r) or self:readTo(r), false end
        if seen == "plain" or not cas then return res, true end
        if not self.key:waitForOwner(cas) then self.key:recover(cas) end -- the item soon has the CAS unique again that it had before
    end
end

-- change runs a command that may change an item that was seen.
function Command:change(pool, item)
    local flags = self.flags
    if READS[self.verb] then return self:fetch(pool, item) end
    if self.storeMode == "E" then return self:respond("NS") end
    if flags.C and flags.C:match("^0*(%d+)$") ~= item.cas then return self:respond("EX") end
    local replaced = self.storeMode and "CIN" or "CN" -- I compares CAS uniques by their order: it would replace a fence
    local newCas = self.verb == "md" and flags.x and not flags.E and " E" .. clientCas() or "" -- x keeps the CAS unique
    local res = self.key:run(meta(self.r, replaced, newCas .. " C" .. item.cas), pool)
    local flash = res:ok() and res:code() == mcp.MCMC_CODE_NOT_STORED -- append to an item on flash
    local text = self.verb == "ma" and refused(res) -- which memcached refuses before it compares CAS uniques
    if not flash and not text then return conclusive(res) end
    return self.key:has(pool, item.cas) and res or RETRY
end

-- fetch runs gat, or mg with T or N, for an item that was seen.
function Command:fetch(pool, item)
    local r, ttl = self.r, self.flags.T
    if self.verb ~= "mg" then ttl = self.words[2] end
    local canMove = self.phase == "preparing" or self.phase == "warming"
    if ttl and not item.stale and (canMove or item.value == "\r\n") then return self:fetchAndStore(pool, item, ttl) end
    local res, seen = self:readPool(self.verb == "mg" and meta(r, "N", "") or r, pool)
    return (seen == "plain" or seen == "down") and res or RETRY
end

-- fetchAndStore stores an item that can move again, with another TTL and the same CAS unique, because memcached has no conditional touch.
function Command:fetchAndStore(pool, item, ttl)
    local line, gat = self.r:raw_line(), self.verb ~= "mg"
    local reading = gat and mcp.request(line:gsub("^gat(s?) +[^ ]+", "get%1") .. "\r\n") or meta(self.r, "NRT", "")
    local past = ttl:find("^-") or tonumber(ttl) > MAX_RELATIVE_TTL and tonumber(ttl) <= mcp.time_real_millis() // 1000
    local readsAfter = not past and not gat and line:find("%f[%S]T.* t") -- servers run the flags of mg in their order
    local command = self.r
    local function read()
        local res = (pool == "from" and self.read or self.readTo)(self, reading)
        if self.r ~= command then self:parse(command) end -- a miss has read other words
        return res
    end
    local before = not readsAfter and read()
    local res = self.key:send(pool, "ms", " C" .. item.cas .. " E" .. item.cas .. " F" .. item.flags .. " T" .. ttl, item.value)
    if not done(res) then return conclusive(res) end
    return before or read()
end

-- create creates the item of a missing key. During preparing and warming, it needs a claim on `from`, or a lock on `to`.
function Command:create()
    if self.phase == "announcing" then return self:store("from", " ME") end
    if self.phase == "closing" then return self:store("to", " ME") end
    if self.phase == "preparing" and self.verb == "mg" then return self:vivifyPreparing() end
    local claim = proxyCas(self.r, CLAIM)
    local placed = self.key:placeClaim(claim)
    if not done(placed) then return conclusive(placed) end
    if self.phase == "preparing" then return self:createPreparing(claim) end
    local res = self.verb == "mg" and self:vivify("to") or self:createWarming(claim)
    self.key:remove("from", claim)
    return res
end

-- createPreparing creates the item on `from`, in place of the claim.
function Command:createPreparing(claim)
    local item, res = self.key:peek("to"), RETRY
    if item.state == "absent" then res = self:store("from", " C" .. claim) end
    if item.state == "down" then res = item.res end
    local replaced = type(res) == "string" or res:ok()
    if not replaced then self.key:remove("from", claim) end
    return res
end

-- createWarming creates the item on `to`, in place of a fence, so that nothing is stored after the claim has ended.
function Command:createWarming(claim)
    local fence = self.key:placeFence(claim)
    if done(fence) and self.key:has("from", claim) then return self:store("to", " C" .. claim) end
    self.key:remove("to", claim)
    return fence:ok() and RETRY or fence
end

-- vivifyPreparing creates the item of mg with N on `from`, under a lock on `to`, because the mg would find a claim.
function Command:vivifyPreparing()
    local lock, res = proxyCas(self.r, LOCK), nil
    local placed = self.key:placeLock(lock)
    if not done(placed) then return conclusive(placed) end
    repeat
        res = self:vivify("from")
    until res ~= RETRY or self.key:fromItem().state ~= "absent"
    self.key:remove("to", lock)
    return res
end

-- vivify runs mg with N for a missing key. No command with a condition can create its item.
function Command:vivify(pool)
    local res = self.key:run(self.r, pool)
    local created = not res:ok() or res:raw_string():find("^[^\r]* W[ \r]")
    return created and res or RETRY
end

-- store stores the item of a missing key on a condition: that there is none, or what has a CAS unique.
function Command:store(pool, condition)
    if self.verb == "mg" then return self:vivify(pool) end
    if self.verb == "ma" then return self:storeInitial(pool, condition) end
    local appends = self.storeMode == "A" or self.storeMode == "P"
    local ttl = appends and " T" .. self.flags.N or ""
    return conclusive(self.key:run(meta(self.r, appends and "CIMNT" or "CIMN", ttl .. condition), pool))
end

-- storeInitial stores the initial value of a number.
function Command:storeInitial(pool, condition)
    local flags = self.flags
    local initial, newCas, ttl = (flags.J or "0"):match("^0*(%d+)$"), flags.E or clientCas(), flags.T or flags.N
    local res = self.key:send(pool, "ms", " T" .. ttl .. " E" .. newCas .. condition, initial .. "\r\n")
    if not done(res) or self.r:has_flag("q") then return conclusive(res) end -- the proxy does not send HD with q
    local values = { c = newCas, t = ttl == "0" and "-1" or ttl }
    return self:respond(flags.v and "VA " .. #initial or "HD", values, flags.v and initial .. "\r\n")
end

---- Routes

-- attempt runs a command that is no read, or returns RETRY. It also returns whether `from` has an item that can move.
function Command:attempt()
    local item, pool = self.key:fromItem(), "from"
    if item.state == "absent" and self.phase ~= "announcing" then item, pool = self.key:toItem(), "to" end
    if item.state == "down" then return item.res, false end
    if item.state ~= "absent" then return self:change(pool, item), pool == "from" and self.verb ~= "md" end
    return self.key.creates and self:create() or self:miss(self.r), false
end

-- decide runs a command for a key that moves. It returns what attempt returns, but no RETRY.
function Command:decide()
    if self.reads then return self:read(self.r) end
    local losses, res, movable = 0, self:attempt()
    while res == RETRY do
        losses = losses + 1
        if losses > 1 then self.rctx:sleep(math.random() * pauseAfter(losses), true) end -- many clients would use up their requests
        res, movable = self:attempt()
    end
    return res, movable
end

-- inOrder runs a command after those before it. Reads run at the same time. One that is faster than a read before it runs again, because
-- that can return what was stored later.
function Command:inOrder()
    local turn, before = self.turn, self.turn.place - 1
    local repeats = self.reads and self.verb ~= "mg" -- a second mg would get no W
    turn:waitFor(repeats and turn.lastChange or before)
    local res, movable = self:decide()
    if turn.queue.ended < before then
        turn:waitFor(before)
        res, movable = self:decide()
    end
    if not movable or self.phase ~= "warming" then return res end
    local settled = self.key.sent.from + MOVE <= HANDLES.from and self.key:move(self.forJob)
    return self.forJob and not settled and BUSY or res
end

-- moves reports whether the key moves. If it does not, and its server has failed, that may have executed the command.
function Command:moves(res)
    if responded(res) then return false end
    return res:elapsed() <= LOCAL or self.key:send("to", "me", " k"):ok() or self.reads and self.key:send("from", "me", " k"):ok()
end

-- serve runs a command during a change of the servers.
function Command:serve(r, verb)
    local key = self.key
    key:begin(r)
    if self.forJob and self.phase == "warming" and key.name == COPY and not r:has_flag("u") then return "SERVER_ERROR warming\r\n" end
    if #key.name > MAX_KEY or verb ~= "get" and #r:raw_line() > MAX_LINE then return "CLIENT_ERROR " .. FORMAT .. "\r\n" end
    self.reads = verb == "get" or verb == "gets" or verb == "me" or verb == "mg" and not r:has_flag("T") and not r:has_flag("N")
    self.r, self.verb = r, verb
    local turn <close> = self.turn:enter(self.rctx:cfd(), key.name, self.reads)
    if key.pools.unmoved then
        local res = key:run(r, "unmoved")
        if not self:moves(res) then return res end
    end
    if self.reads then return self:inOrder() end
    local res = self:parse(r) or self:inOrder()
    return CLASSIC[verb] and toClassic(verb, res) or res
end

-- finishRead counts a read. If no server responded, the key is missing for clients, but not for the Job.
function Command:finishRead(r, res)
    local text = type(res) == "string"
    local hit = text and res:find("^[VH]") or not text and res:hit()
    if not self.forJob or not self.phase then mcp.stat(hit and self.hits or self.misses, 1) end
    if text or hit or responded(res) then return res end
    return self.forJob and BUSY or self:miss(r)
end

-- execute runs a command of a client, and returns what the proxy sends.
function Command:execute(r)
    local verb = VERBS[r:command()]
    local noreply, quiet = CLASSIC[verb] and r:ntokens() > (WORDS[verb] or 5), #verb == 2 and r:has_flag("q")
    local ended = (noreply or quiet or self.phase and verb ~= "get") and endLine(r, verb)
    noreply = noreply and r:raw_line():find(" noreply *$")
    -- memcached removes one letter of q before it sends a command to a server. With another q behind it, the server would not respond.
    if quiet and (not ended or afterKey(r:raw_line()):find(" q[^ ]")) then return "CLIENT_ERROR " .. BAD_TOKEN .. "\r\n" end
    if #verb == 2 and r:has_flag("E") and marked(token(r, "E")) then return "CLIENT_ERROR " .. BAD_TOKEN .. "\r\n" end
    self.forJob = verb == "mg" and token(r, "O") == COPY
    local res
    if self.phase then res = self:serve(r, verb) else res = self.rctx:enqueue_and_wait(r, self.steady) end
    if READS[verb] then res = self:finishRead(r, res) end
    if noreply or res == NOTHING then return self.nothing end
    if res == BUSY or verb == "me" and type(res) ~= "string" then return res:raw_string() or res end -- me knows no q
    return res
end

function route_servers_f(rctx, arg)
    local key = setmetatable({ rctx = rctx, phase = arg.phase, pools = arg.pools, sent = {} }, Key)
    local command = setmetatable({ rctx = rctx, phase = arg.phase, key = key, turn = setmetatable({ rctx = rctx }, Turn),
        steady = arg.pools.to and arg.pools.to[1], nothing = rctx:response_new(), hits = arg.hits, misses = arg.misses }, Command)
    return function(r) return command:execute(r) end
end

function route_servers_start(a, ctx, fgen)
    local arg = { phase = a.phase, hits = a.hits, misses = a.misses, pools = {} }
    for pool, handles in pairs(HANDLES) do
        local child = a["child_" .. pool]
        arg.pools[pool] = child and {}
        for i = 1, child and (a.phase and handles or 1) or 0 do
            arg.pools[pool][i] = fgen:new_handle(child)
        end
    end
    fgen:ready({ a = arg, n = ctx:label(), u = 1, f = route_servers_f })
end

register_route_handlers({ "servers" })
