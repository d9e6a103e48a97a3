-- Routes of the proxy, for memcached's routelib:
--   memcached -o proxy_config=routelib:library.lua,proxy_arg=config.lua
-- The configuration calls servers{to = {...}}, or during a change of the servers
--   servers{from = {...}, to = {...}, phase = "announcing" | "preparing" | "warming" | "closing"}
-- with the host:port of the servers before the change (from) and after it (to).
--
-- A server stays if it has the same place in both lists. A jump hash distributes the keys to places: a key has the same place in both
-- lists, or one that only the longer list has. So a key keeps its server, or it moves: `from` is its server before the change, and `to` the
-- one after it. Proxies in two phases that follow each other serve at the same time, so the item on `from` says which server decides for a
-- key that moves. Its CAS unique tells an item of a client from those of proxies:
--
--   item on from  meaning
--   plain         `from` decides, and `to` has nothing.
--   owned         `from` decides. Reads see the item, changes wait: one proxy copies it.
--   claim         `to` decides: the key is missing, and one proxy creates it. The claim is empty and expires.
--   none          `to` decides.
--
-- README.md has the names of the phases in status, and what each phase does with a key that has an item on `from`, and with one that has
-- none.
--
-- Nothing on `from` stays behind for an item that has moved, so `from` can lose anything at any time. Before preparing, `to` has nothing.
-- A proxy stores on `to` only in place of an item with the CAS unique that it has seen, or of its own fence: an empty item that it stores
-- under its claim or under its ownership, before it looks again whether `from` still has that. Who takes over on `from` removes the fence
-- before `from` has a plain item. So a proxy that was late, for any time, stores nothing, and no clock decides.

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
-- The largest CAS unique, delta and initial value.
local MAX_NUMBER <const> = "18446744073709551615"
-- memcached reads a larger TTL as a Unix time.
local MAX_RELATIVE_TTL <const> = 60 * 60 * 24 * 30
-- PAUSE is the first of pauses in seconds, which double up to MAX_PAUSE. A command that waits for its turn looks LOOKS times before.
local LOOKS <const>, PAUSE <const>, MAX_PAUSE <const> = 16, 0.001, 0.05
local function pauseAfter(times) return math.min(PAUSE * 2 ^ times, MAX_PAUSE) end
-- HANDLES is how many requests a command sends at most to each server: enough to wait for LEASE, and then to move the item, which takes
-- MOVE requests.
local HANDLES <const> = { kept = 1, from = 28, to = 20 }
local MOVE <const> = 7
-- A request to a server takes more than LOCAL microseconds, on loopback at least 9. One for a server that is marked as down
-- usually fails within 1.
local LOCAL <const> = 5
-- The opaque of the Job's reads. They return SERVER_ERROR until it is certain that the item has moved, is missing, or cannot move. The Job
-- first reads this as a key: proxies in warming respond "SERVER_ERROR warming".
local COPY <const> = "memcached-operator-copy"

-- The first 12 bits of the CAS uniques of proxies. 30 bits of time and 19 of a random number follow, then the state of the item, and a bit
-- that says that the key is in base64, which memcached forgets while an item is owned. Servers count CAS uniques from 1.
local PROXY_MARK <const> = 0x6d6
local OWNED <const>, CLAIM <const>, LOCK <const> = 0, 1, 2
local STATES <const> = { [OWNED] = "owned", [CLAIM] = "claim", [LOCK] = "lock" }

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
        local kept, rest = {}, {}
        for i, server in ipairs(grows and to or from) do
            local same, down = to[i] == from[i], { host = "moved", port = "0", label = "moved", down = true }
            kept[i] = same and server or down
            rest[i] = same and down or server
        end
        backends = { kept = kept, from = grows and from or rest, to = grows and rest or to }
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

-- responded reports whether a server responded. It is false for a server that is down, and for a key of another pool.
local function responded(res) return res:ok() or (res:raw_string() or ""):find("^%u*_?ERROR") ~= nil end

-- done reports whether a server has executed a conditional change.
local UNDONE <const> = { [mcp.MCMC_CODE_NOT_FOUND] = true, [mcp.MCMC_CODE_NOT_STORED] = true, [mcp.MCMC_CODE_EXISTS] = true }
local function done(res) return res:ok() and not UNDONE[res:code()] end

-- conclusive returns the response, or nil if the condition of a change did not hold.
local function conclusive(res) return (done(res) or not res:ok()) and res or nil end

-- BUSY is the response to a command that finds other commands at the same key again and again.
local function no() return false end
local BUSY <const> = { ok = no, hit = no, raw_string = function() return "SERVER_ERROR busy\r\n" end }

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

-- stored returns a number of set, add, replace, cas, append or prepend as memcached stores it: 32 bits of what strtol reads.
local function stored(letter, word)
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
        return not rest:find("^%-?%d+$") or tonumber(rest) ~= tonumber(stored(letter, rest))
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

-- meta returns a meta command without some of its flags, and with others.
local function meta(r, without, with)
    local command, flags = r:raw_line():match("^([^ ]+ +[^ ]+)(.*)$")
    return mcp.request(command .. flags:gsub(" +[" .. without .. "][^ ]*", "") .. with .. "\r\n", r)
end

local function unique(r, kind)
    local time, random = mcp.time_real_millis() & 0x3fffffff, math.random(0, 0x7ffff)
    return tostring(PROXY_MARK << 52 | time << 22 | random << 3 | kind << 1 | (base64(r) == "" and 0 or 1))
end

-- fresh returns a CAS unique of a plain item.
local function fresh() return math.random(1 << 32, (PROXY_MARK << 52) - 1) end

local function state(number)
    number = math.tointeger(tonumber(number)) or 0
    return number >> 52 == PROXY_MARK and STATES[number >> 1 & 3] or "plain"
end

-- queues has the commands under way of each connection: their number at 1, and by key how many have begun, how many of those have ended
-- with all before them, the place of the last change, and true at the places of others that have ended. A connection stays on its thread,
-- and its proxy works on up to 20 lines, and all keys of a line, at the same time.
local queues, unused = {}, nil

-- A Route runs the commands of clients, one at a time, in a change of the servers. It has the words and flags of the command. A result is
-- the response of a server, a text, BUSY, or nothing, which is sent as no bytes. It is nil if another command was faster: then this one
-- runs again.
local Route <const> = {}
Route.__index = Route

function Route:enter(connection)
    local keys = queues[connection] or { 0 }
    local queue = keys[self.key] or unused or { begun = 0, ended = 0, changed = 0 }
    queues[connection], keys[self.key], keys[1], unused = keys, queue, keys[1] + 1, nil
    queue.begun = queue.begun + 1
    self.connection, self.queue, self.place, self.changed = connection, queue, queue.begun, queue.changed
    queue.changed = self.reads and queue.changed or queue.begun
end

-- __close ends the turn of a command, also of one that fails.
function Route:__close()
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

-- parse reads a command, a classic one that changes an item as a meta command. It returns the response to one that memcached refuses.
function Route:parse(r)
    local words, flags = split(r:raw_line()), {}
    local verb, gat = words[1], words[1]:find("^gat")
    local classic, refused = CLASSIC[verb], gat and invalid("mg", "T", words[2])
    if classic then
        local line = classic:find("^ms") and classic:format(words[2], words[5], stored("F", words[3]), stored("T", words[4]), words[6] or "")
            or classic:format(words[2], words[3])
        r, words = mcp.request(line .. "\r\n", r), split(line)
    end
    self.r, self.key, self.verb, self.words, self.flags = r, r:key(), words[1], words, flags
    for i = self.verb == "ms" and 4 or 3, self.verb:find("^m[^e]") and #words or 0 do
        local letter, rest = words[i]:sub(1, 1), words[i]:sub(2)
        refused = refused or flags[letter] or invalid(self.verb, letter, rest)
        flags[letter] = rest
    end
    self.mode = self.verb == "ms" and (flags.M or "S"):sub(1, 1)
    self.touches = gat or self.verb == "mg" and flags.T -- memcached has no condition for a change of the TTL
    self.creates = self.mode == "E" or self.mode == "S" and not flags.C or self.mode ~= "S" and self.mode ~= "R" and flags.N and self.verb ~= "md"
    return refused and "CLIENT_ERROR " .. (REFUSALS[verb] or classic and FORMAT or BAD_TOKEN) .. "\r\n"
end

-- run sends a request to a pool. A handle serves one request of a command, so each request takes the next handle.
function Route:run(r, pool)
    self.used[pool] = self.used[pool] + 1
    local handle = self.pools[pool][self.used[pool]]
    return handle and self.rctx:enqueue_and_wait(r, handle) or BUSY
end

-- send sends a meta command for the key to a pool.
function Route:send(pool, command, flags, value)
    local size = value and " " .. #value - 2 or ""
    return self:run(mcp.request(command .. " " .. self.key .. size .. base64(self.r) .. flags .. "\r\n", value), pool)
end

-- classic returns the response to a classic command for the one to its meta command.
local function classic(verb, res)
    local text = type(res) == "string" and res or res:ok() and res:raw_string() or ""
    local code, rest = text:match("^(%u%u)[ \r].-\n(.*)$")
    local word = RESPONSES_OF[verb] and RESPONSES_OF[verb][code] or RESPONSES[code]
    return code == "VA" and rest or word and word .. "\r\n" or res
end

-- respond returns a response to a meta command, with the flags that a server returns for it. values has those of the item.
function Route:respond(code, values, body)
    if code == "EN" and self.r:has_flag("q") then return self.nothing end
    values = values or self.mode and { c = 0, s = tonumber(self.words[3]) } or {}
    values.k = self.key .. base64(self.r)
    for i = 3, #self.words do
        local letter = self.words[i]:sub(1, 1)
        local value = letter == "O" and self.words[i] or values[letter] and letter .. values[letter]
        code = value and code .. " " .. value or code
    end
    return code .. "\r\n" .. (body or "")
end

-- miss returns the response to a command that does not create an item, for a missing key.
function Route:miss(r)
    local verb = VERBS[r:command()]
    if verb == "me" or READS[verb] and verb ~= "mg" then return verb == "me" and "EN\r\n" or "END\r\n" end
    if verb == "mg" then return self:parse(r) or self:respond("EN") end
    local keeps = self.mode == "A" or self.mode == "P" or self.mode == "R" and not self.flags.C
    return self:respond(keeps and "NS" or "NF")
end

-- wait pauses for another proxy, each time longer. It returns false if this command has waited LEASE seconds for the same item.
function Route:wait(item)
    self.waited, self.awaited = self.awaited == item.unique and self.waited or 0, item.unique
    if self.waited >= LEASE then return false end
    local pause = self.waited == 0 and PAUSE or math.min(2 * self.waited, 1)
    self.rctx:sleep(pause)
    self.waited = self.waited + pause
    return true
end

-- giveBack gives the W of a stale item, which a mg of this proxy has taken, to the next client.
function Route:giveBack(pool, number) self:send(pool, "md", " I C" .. number .. " E" .. number) end

-- peek returns the item of a pool, and its value if wanted. It does not count as a use of the item.
function Route:peek(pool, wanted)
    local res = self:send(pool, "mg", wanted and " u f t c v" or " u f t c")
    if not res:ok() then return { state = "down", res = res } end
    if not res:hit() then return { state = "absent" } end
    local item, rest = { value = wanted and res:raw_string():sub(-res:vlen() - 2) }, nil
    item.flags, item.ttl, item.unique, rest = res:raw_string():match("^%u+[ %d]* f(%d+) t(%-?%d+) c(%d+)(.-)\r\n")
    item.state, item.stale = state(item.unique), rest:find("[WXZ]") ~= nil
    if rest:find("W") then self:giveBack(pool, item.unique) end
    return item
end

function Route:remove(pool, number) return done(self:send(pool, "md", " C" .. number)) end

-- storeOwned stores the item that this proxy owns on `from` in a pool, in place of what has the CAS unique of the owner there. It returns
-- nil if this proxy is not the owner.
function Route:storeOwned(owned, pool, with)
    local item = self:peek("from", true) -- another proxy may have taken it, or changed its TTL
    if item.unique ~= owned then return nil end
    local ttl = item.ttl == "-1" and 0 or math.max(tonumber(item.ttl), 1) -- a server returns 0 for less than a second
    local since = ttl > MAX_RELATIVE_TTL and mcp.time_real_millis() // 1000 or 0
    return self:send(pool, "ms", " C" .. owned .. " F" .. item.flags .. " T" .. since + ttl .. with, item.value)
end

-- takeOwnership makes this proxy the owner of an item on `from`, and returns its CAS unique. An append of nothing keeps everything else.
-- memcached does not append to an item on flash.
function Route:takeOwnership(number)
    local owned = unique(self.r, OWNED)
    local res = self:send("from", "ms", " MA C" .. number .. " E" .. owned, "\r\n")
    if not done(res) then res = self:storeOwned(number, "from", " E" .. owned) end
    return res and done(res) and owned or nil
end

-- clear removes a fence or a copy of another owner from `to`, while this proxy owns the item on `from`. It returns whether `to` has
-- nothing.
function Route:clear(owned)
    local item = self:peek("to")
    return item.state == "absent" or item.state ~= "down"
        and self:peek("from").unique == owned and self:remove("to", item.unique)
end

-- recover takes an item from an owner that has not finished, with what that owner may have stored on `to`.
function Route:recover(number)
    local owned = self:takeOwnership(number)
    if owned and (self.phase == "announcing" or self:clear(owned)) then self:storeOwned(owned, "from", "") end
end

-- reserve stores a claim on `from`, or a fence or a lock on `to`.
function Route:reserve(pool, number)
    return self:send(pool, "ms", " ME E" .. number .. " T" .. (pool == "from" and LEASE or FENCE), "\r\n")
end

-- move moves an item from `from` to `to`, with its CAS unique. If a step fails, `from` still decides. It returns true if the item has
-- moved, is missing, or cannot move.
function Route:move()
    local item = self.copies and self:fromItem() or self:peek("from") -- the Job waits, because no client may ever use the item
    if item.state ~= "plain" or item.stale then -- the copy of a stale item would be a fresh one
        return item.state ~= "owned" and item.state ~= "down"
    end
    local owned = self:takeOwnership(item.unique)
    return owned and self:copy(owned, " E" .. item.unique)
end

function Route:copy(owned, with)
    local res = self:reserve("to", owned)
    if not done(res) and self:clear(owned) then res = self:reserve("to", owned) end
    local fenced = done(res)
    if fenced then res = self:storeOwned(owned, "to", with) end
    if fenced and res and done(res) then
        local moved = self:remove("from", owned)
        for _ = 1, self.copies and 0 or 2 do -- `to` keeps what was read twice. It would evict it before older items that the Job moves later
            self:send("to", "mg", "")
        end
        return moved
    elseif fenced and res and not responded(res) then -- the copy can still arrive. The next owner removes the fence first
        return false
    elseif fenced then
        self:remove("to", owned)
    end
    self:storeOwned(owned, "from", with)
    return res and responded(res) and not res:ok() -- `to` refuses the item, which may be too large
end

-- fromItem returns the item on `from` if `from` decides, and otherwise an absent one.
function Route:fromItem()
    local closing = self.phase == "closing"
    local claims = self.phase == "announcing" or self.creates and not closing -- whether a claim makes a difference
    while true do
        local item = self:peek("from", self.touches)
        if item.state == "claim" and not claims then
            return { state = "absent" }
        elseif item.state == "absent" or item.state == "down" or item.state == "plain" and not closing then
            return item
        elseif item.state == "plain" or not self:wait(item) then
            if closing and self:peek("to").state == "down" then -- `from` and `to` can be parts of a kept server that was down a moment ago
                return { state = "down", res = BUSY }
            elseif closing or item.state ~= "owned" then
                self:remove("from", item.unique)
            else
                self:recover(item.unique)
            end
        end
    end
end

-- toItem returns the item on `to` if `to` decides. It waits for fences in use, and removes others, so that an owner that is late does not
-- copy an item that `from` has lost.
function Route:toItem()
    while true do
        local item = self:peek("to", self.touches)
        if item.state == "absent" or item.state == "plain" or item.state == "down" then return item end
        local inUse = item.state == "lock" or item.state == "claim" and self:peek("from").unique == item.unique
        if not inUse or not self:wait(item) then self:remove("to", item.unique) end
    end
end

-- shown returns the CAS unique that a response shows. (Before memcached 1.6.45, line returns that of another response.)
local function shown(verb, r, res)
    local pattern = verb == "gets" and "^VALUE [^ ]+ %d+ %d+ (%d+)" or r:has_flag("c") and "^[^\n]- c(%d+)"
    return pattern and res:raw_string():match(pattern) or nil
end

-- readPool runs a read in a pool. It returns the response, the state of the item, and the CAS unique if it is shown. An empty item can be
-- one of a proxy: if the response does not show it, the item is the same before and after the read.
function Route:readPool(r, pool)
    local verb = VERBS[r:command()]
    local hides = verb == "mg" and not r:has_flag("v") and not r:has_flag("c") -- a second mg would get no W
    r = hides and meta(r, "@", " c") or r
    local before
    while true do
        local res = self:run(r, pool)
        if not res:ok() or not res:hit() then return res, res:ok() and "absent" or "down" end
        local number = verb ~= "get" and shown(verb, r, res) or nil
        if hides then
            return res:raw_string():gsub(" c" .. number, "", 1), state(number)
        elseif number or res:vlen() > 0 then
            return res, number and state(number) or "plain", number
        end
        local item = self:peek(pool)
        if item.unique == before or item.state ~= "plain" and item.state ~= "owned" then return item.res or res, item.state end
        if res:raw_string():find("^VA 0[^\n]* W") then self:giveBack(pool, item.unique) end
        before = item.unique
    end
end

function Route:readTo(r)
    while true do
        local res, seen = self:readPool(r, "to")
        if seen == "absent" or seen == "claim" or seen == "lock" then
            return self:miss(r)
        elseif seen ~= "owned" then
            return res
        end
        self:toItem()
    end
end

-- read runs a read. It also returns whether `from` has the item.
function Route:read(r)
    if self.phase == "closing" then
        local item = self:fromItem()
        return item.state == "down" and item.res or self:readTo(r)
    end
    while true do
        local res, seen, number = self:readPool(r, "from")
        if seen == "down" then
            return res
        elseif seen == "absent" or seen == "claim" then
            return self.phase == "announcing" and self:miss(r) or self:readTo(r)
        elseif seen == "plain" or not number then
            return res, true
        elseif not self:wait({ unique = number }) then -- the item soon has the CAS unique again that it had before
            self:recover(number)
        end
    end
end

-- fetch runs gat, or mg with T or N, for an item that was seen. If the item can move, it is stored again with the other TTL and the same
-- CAS unique, because memcached has no conditional touch. It returns nil if another command has changed the item.
function Route:fetch(pool, item)
    local r, gat = self.r, self.verb ~= "mg"
    local ttl = gat and self.words[2] or self.flags.T
    local moves = self.phase == "preparing" or self.phase == "warming"
    if not ttl or item.stale or not moves and item.value ~= "\r\n" then
        local res, seen = self:readPool(gat and r or meta(r, "N", ""), pool)
        return (seen == "plain" or seen == "down") and res or nil
    end
    local read = pool == "from" and self.read or self.readTo
    local reading = gat and mcp.request(r:raw_line():gsub("^gat(s?) +[^ ]+", "get%1") .. "\r\n") or meta(r, "NRT", "")
    local past = ttl:find("^-") or tonumber(ttl) > MAX_RELATIVE_TTL and tonumber(ttl) <= mcp.time_real_millis() // 1000
    local after = not past and not gat and r:raw_line():find("%f[%S]T.* t") -- servers run the flags of mg in their order
    local before = not after and read(self, reading)
    local flags = " C" .. item.unique .. " E" .. item.unique .. " F" .. item.flags .. " T" .. ttl
    local res = self:send(pool, "ms", flags, item.value)
    if done(res) then return before or (read(self, reading)) end
    return conclusive(res)
end

-- change runs a command that may change an item that was seen. It returns nil if another command has changed the item.
function Route:change(pool, item)
    local verb, flags = self.verb, self.flags
    if READS[verb] then
        return self:fetch(pool, item)
    elseif self.mode == "E" then
        return self:respond("NS")
    elseif flags.C and flags.C ~= item.unique then
        return self:respond("EX")
    end
    local without = self.mode and "CIN" or "CN" -- I compares CAS uniques by their order: it would replace a fence
    local with = verb == "md" and flags.x and not flags.E and " E" .. fresh() or "" -- x keeps the CAS unique
    local res = self:run(meta(self.r, without, with .. " C" .. item.unique), pool)
    local flash = res:ok() and res:code() == mcp.MCMC_CODE_NOT_STORED -- append to an item on flash
    local text = verb == "ma" and not res:ok() and responded(res) -- which memcached refuses before it compares CAS uniques
    if flash or text then return self:peek(pool).unique == item.unique and res or nil end
    return conclusive(res)
end

-- store stores the item of a missing key, in the place of a claim or of a fence if there is one. It returns nil if it is not there. mg with
-- N creates an item that no command with a condition can create.
function Route:store(pool, number)
    local condition, flags = number and " C" .. number or " ME", self.flags
    if self.verb == "mg" then
        local res = self:run(self.r, pool)
        local created = not res:ok() or res:raw_string():find("^[^\r]* W[ \r]")
        return created and res or nil
    elseif self.mode then
        local appends = self.mode == "A" or self.mode == "P"
        local ttl = appends and " T" .. flags.N or ""
        return conclusive(self:run(meta(self.r, appends and "CIMNT" or "CIMN", ttl .. condition), pool))
    end
    local initial, newUnique, ttl = (flags.J or "0"):match("^0*(%d+)$"), flags.E or fresh(), flags.T or flags.N
    local res = self:send(pool, "ms", " T" .. ttl .. " E" .. newUnique .. condition, initial .. "\r\n")
    if not done(res) or self.r:has_flag("q") then -- the proxy does not send HD with q
        return conclusive(res)
    end
    local values = { c = newUnique, t = ttl == "0" and "-1" or ttl }
    return self:respond(flags.v and "VA " .. #initial or "HD", values, flags.v and initial .. "\r\n")
end

-- create creates the item of a missing key, under a claim on `from` or a lock on `to`. It returns nil if another proxy was faster.
function Route:create()
    local phase, vivifies = self.phase, self.verb == "mg"
    if phase == "announcing" or phase == "closing" then
        return self:store(phase == "closing" and "to" or "from")
    end
    local locks = vivifies and phase == "preparing" -- mg with N would find a claim
    local number, reserved = unique(self.r, locks and LOCK or CLAIM), locks and "to" or "from"
    local res = self:reserve(reserved, number)
    if not done(res) then
        return conclusive(res)
    elseif vivifies then
        repeat
            res = self:store(locks and "from" or "to")
        until res or not locks or self:fromItem().state ~= "absent"
    elseif phase == "preparing" then
        local item = self:peek("to")
        res = item.state == "absent" and self:store("from", number) or item.res
    else
        local fenced = self:reserve("to", number)
        if done(fenced) and self:peek("from").unique == number then
            res = self:store("to", number)
        else
            self:remove("to", number)
            res = not fenced:ok() and fenced or nil
        end
    end
    local replaced = phase == "preparing" and not vivifies and (type(res) == "string" or res and res:ok()) -- in place of the claim
    if not replaced then self:remove(reserved, number) end
    return res
end

-- decide runs a command for a key that moves. It also returns whether `from` has an item that can move.
function Route:decide()
    if self.reads then return self:read(self.r) end
    local losses = 0
    while true do
        local item, pool = self:fromItem(), "from"
        if item.state == "absent" and self.phase ~= "announcing" then item, pool = self:toItem(), "to" end
        local absent = item.state == "absent"
        if item.state == "down" then return item.res end
        if absent and not self.creates then return self:miss(self.r) end
        local res = absent and self:create() or not absent and self:change(pool, item)
        if res then return res, item.state == "plain" and pool == "from" and self.verb ~= "md" end
        losses = losses + 1
        if losses > 1 then self.rctx:sleep(math.random() * pauseAfter(losses), true) end -- many clients would use up their requests
    end
end

-- await waits until so many commands of the queue have ended. With true, the exploration knows that no other proxy ends the wait.
function Route:await(place)
    local queue, looks, ended = self.queue, 0, nil
    while queue.ended < place do
        looks, ended = queue.ended == ended and looks + 1 or 0, queue.ended
        self.rctx:sleep(looks < LOOKS and 0 or pauseAfter(looks - LOOKS), true)
    end
end

-- inOrder runs a command after those before it. Reads run at the same time. One that is faster than a read before it runs again, because
-- that can return what was stored later.
function Route:inOrder()
    local queue, before = self.queue, self.place - 1
    local again = self.reads and VERBS[self.r:command()] ~= "mg" -- a second mg would get no W
    if queue.ended < before then self:await(again and self.changed or before) end
    local res, here = self:decide()
    if queue.ended < before then
        self:await(before)
        res, here = self:decide()
    end
    local moves = here and self.phase == "warming" and self.used.from + MOVE <= HANDLES.from
    return moves and not self:move() and self.copies and BUSY or res
end

function Route:serve(r, verb)
    local key, used = r:key(), self.used
    if self.copies and self.phase == "warming" and key == COPY then return "SERVER_ERROR warming\r\n" end
    if #key > MAX_KEY or verb ~= "get" and #r:raw_line() > MAX_LINE then return "CLIENT_ERROR " .. FORMAT .. "\r\n" end
    self.reads = verb == "get" or verb == "gets" or verb == "me" or verb == "mg" and not r:has_flag("T") and not r:has_flag("N")
    self.r, self.key, self.touches, self.creates, self.awaited = r, key, false, false, nil
    used.kept, used.from, used.to = 0, 0, 0
    self:enter(self.rctx:cfd())
    local turn <close> = self
    if self.phase ~= "announcing" then
        local res = self:run(r, "kept")
        local moves = not responded(res) and (res:elapsed() <= LOCAL or self:send("to", "me", " k"):ok()
            or self.reads and self:send("from", "me", " k"):ok())
        if not moves then return res end -- if its server has failed, maybe after it executed the command
    end
    local res = not self.reads and self:parse(r) or self:inOrder()
    return CLASSIC[verb] and classic(verb, res) or res
end

function route_servers_f(rctx, arg)
    local route = setmetatable({ rctx = rctx, nothing = rctx:response_new(), phase = arg.phase, pools = arg.pools, used = {} }, Route)
    local steady = arg.phase == nil and arg.pools.to[1]
    local count, hits, misses = mcp.stat, arg.hits, arg.misses
    return function(r)
        local verb = VERBS[r:command()]
        local quiet = CLASSIC[verb] and r:ntokens() > (WORDS[verb] or 5)
        if quiet or not steady and verb ~= "get" then
            pcall(r.token, r, 1, verb) -- ends the line with CR and LF, from which raw_line takes two characters
        end
        quiet = quiet and r:raw_line():find(" noreply *$")
        if #verb == 2 and r:has_flag("E") and state(token(r, "E")) ~= "plain" then return "CLIENT_ERROR " .. BAD_TOKEN .. "\r\n" end
        route.copies = verb == "mg" and token(r, "O") == COPY
        local res = steady and rctx:enqueue_and_wait(r, steady) or route:serve(r, verb)
        local text = type(res) == "string"
        if not READS[verb] then -- me knows no q
            return quiet and route.nothing or (res == BUSY or verb == "me" and not text) and res:raw_string() or res
        end
        local hit = text and res:find("^[VH]") or not text and res ~= route.nothing and res:hit()
        if steady or not route.copies then count(hit and hits or misses, 1) end
        local unread = not hit and not text and not responded(res)
        if res == BUSY or unread and route.copies then return BUSY.raw_string() end
        return unread and route:miss(r) or res
    end
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
