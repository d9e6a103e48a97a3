-- Routes of the proxy, for memcached's routelib:
--   memcached -o proxy_config=routelib:library.lua,proxy_arg=config.lua
-- The configuration calls servers{to = {...}}, or during a change of the servers
--   servers{from = {...}, to = {...}, phase = "announcing" | "preparing" | "warming" | "closing"}
-- with the host:port of the servers before the change (from) and after it (to).
--
-- A server stays if it has the same place in both lists. A jump hash distributes the keys to places: a key has the same place in both lists,
-- or one that only the longer list has. So a key keeps its server, or it moves from a previous server P to a current server C. Proxies in two
-- phases that follow each other serve at the same time, so the item on P says who decides for a key that moves. Its CAS unique tells
-- an item of a client from those of proxies:
--
--   item on P  meaning
--   plain      P decides, and C has nothing.
--   owned      P decides. Reads see the item, changes wait: one proxy copies it to C.
--   claim      C decides: the key is missing, and one proxy creates it. The claim is empty and expires.
--   none       C decides.
--
--   phase       a key without an item on P                      an item on P
--   announcing  is missing, and created on P                    P decides. Claims are hidden.
--   preparing   C decides. Created on P, in place of a claim    P decides
--   warming     C decides. Created on C, under a claim          P decides, then the item moves: owned, copied to C, deleted on P
--   closing     C decides. Created on C                         is deleted: proxies after the change do not know P
--
-- Nothing on P stays behind for an item that has moved, so P can lose anything at any time. Before preparing, C has nothing.
-- A proxy stores on C only in place of an item with the CAS unique that it has seen, or of its own fence: an empty item that it stores
-- under its claim or under its ownership, before it looks again whether P still has that. Who takes over on P removes the fence
-- before P has a plain item. So a proxy that was late, for any time, stores nothing, and no clock decides.

-- A memcached that lacks functions of this file does not start: it would fail with the first key that moves. Only the threads that serve have
-- requests. raw_line came with raw_string of responses. The message is the last line of the log, which the status of the pod has: after error(),
-- that would be a line of the stack.
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
-- memcached reads a larger TTL as a Unix time.
local MAX_RELATIVE_TTL <const> = 60 * 60 * 24 * 30
-- HANDLES is how many requests a command sends at most to each server: enough to wait for LEASE, and then to move the item, which takes
-- MOVE requests.
local HANDLES <const> = { kept = 1, previous = 28, current = 20 }
local MOVE <const> = 7
-- A request to a server takes more than LOCAL microseconds, on loopback at least 9. One for a server that is marked as down
-- usually fails within 1.
local LOCAL <const> = 5
-- The opaque of the Job's reads. They return SERVER_ERROR until it is certain that the item has moved, is missing, or cannot move. The Job
-- first reads this as a key: proxies in warming respond "SERVER_ERROR warming".
local COPY <const> = "memcached-operator-copy"

-- The first 12 bits of the CAS uniques of proxies. 30 bits of time and 19 of a random number follow, then the state of the item, and a bit
-- that says that the key is in base64, which memcached forgets while an item is owned. Servers count CAS uniques from 1.
local PROXY <const> = 0x6d6
local OWNED <const>, CLAIM <const>, LOCK <const> = 0, 1, 2
local STATES <const> = { [OWNED] = "owned", [CLAIM] = "claim", [LOCK] = "lock" }

-- settings, pools and routes for the servers before and after a change. A pool in which the servers at some places are marked as down
-- tells keys apart: a request for a key of a server that is marked as down fails within the proxy.
function servers(change)
    settings{
        backend_connect_timeout = TIMEOUT,
        backend_read_timeout = TIMEOUT,
        backend_retry_waittime = 1, -- seconds from one attempt to connect to the next
        backend_failure_limit = 1,  -- the first failure reconnects immediately, because a client can cause it
        tcp_keepalive = true,
    }
    local previous, current = change.from, change.to
    local backends = { current = current }
    if change.phase == "announcing" then
        backends = { previous = previous } -- new servers may not exist yet
    elseif previous then
        local grows = #current > #previous
        local kept, rest = {}, {}
        for i, server in ipairs(grows and current or previous) do
            local same, down = current[i] == previous[i], { host = "moved", port = "0", label = "moved", down = true }
            kept[i] = same and server or down
            rest[i] = same and down or server
        end
        backends = { kept = kept, previous = grows and previous or rest, current = grows and rest or current }
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
local function responded(res)
    return res:ok() or (res:raw_string() or ""):find("^%u*_?ERROR") ~= nil
end

-- done reports whether a server has executed a conditional change.
local UNDONE <const> = { [mcp.MCMC_CODE_NOT_FOUND] = true, [mcp.MCMC_CODE_NOT_STORED] = true, [mcp.MCMC_CODE_EXISTS] = true }
local function done(res)
    return res:ok() and not UNDONE[res:code()]
end

-- settled returns the response, or nil if the condition of a change did not hold.
local function settled(res)
    return (done(res) or not res:ok()) and res or nil
end

local GETS <const> = { [mcp.CMD_GET] = true, [mcp.CMD_GETS] = true, [mcp.CMD_GAT] = true, [mcp.CMD_GATS] = true }
-- COUNTED are the commands that count as hits or misses.
local COUNTED <const> = { [mcp.CMD_GET] = true, [mcp.CMD_GETS] = true, [mcp.CMD_GAT] = true, [mcp.CMD_GATS] = true, [mcp.CMD_MG] = true }

-- CLASSIC has meta commands for the classic commands that change an item: only those have conditions. A number is a word of the command.
local CLASSIC <const> = {
    [mcp.CMD_SET] = "ms $2 $5 F$3 T$4", [mcp.CMD_ADD] = "ms $2 $5 F$3 T$4 ME", [mcp.CMD_REPLACE] = "ms $2 $5 F$3 T$4 MR",
    [mcp.CMD_CAS] = "ms $2 $5 F$3 T$4 C$6", [mcp.CMD_APPEND] = "ms $2 $5 MA", [mcp.CMD_PREPEND] = "ms $2 $5 MP",
    [mcp.CMD_INCR] = "ma $2 D$3 v", [mcp.CMD_DECR] = "ma $2 D$3 MD v", [mcp.CMD_DELETE] = "md $2",
    [mcp.CMD_TOUCH] = "mg $2 T$3",
}
-- RESPONSES has classic responses for codes of meta commands, if they are not those of one command.
local RESPONSES <const> = { HD = "STORED", NS = "NOT_STORED", EX = "EXISTS", NF = "NOT_FOUND", EN = "END" }
local RESPONSES_OF <const> = { [mcp.CMD_DELETE] = { HD = "DELETED" }, [mcp.CMD_TOUCH] = { HD = "TOUCHED", EN = "NOT_FOUND" } }

-- BUSY is the response to a command that finds other commands at the same key again and again.
local function no() return false end
local BUSY <const> = { ok = no, hit = no, raw_string = function() return "SERVER_ERROR busy\r\n" end }

local function token(r, flag)
    return select(2, r:flag_token(flag))
end

-- copies reports whether the Job that copies items has sent a command.
local function copies(r)
    return r:command() == mcp.CMD_MG and token(r, "O") == COPY
end

-- touches reports whether a command changes the TTL of an item. memcached has no condition for that.
local function touches(r)
    return r:command() == mcp.CMD_MG and r:has_flag("T") or r:command() == mcp.CMD_GAT or r:command() == mcp.CMD_GATS
end

local function reads(r)
    local command = r:command()
    return command == mcp.CMD_GET or command == mcp.CMD_GETS or command == mcp.CMD_ME
        or command == mcp.CMD_MG and not r:has_flag("T") and not r:has_flag("N")
end

local function mode(r)
    return r:command() == mcp.CMD_MS and (token(r, "M") or "S"):sub(1, 1) or ""
end

-- creates reports whether a meta command creates the item of a missing key.
local function creates(r)
    local m = mode(r)
    return m == "E" or m == "S" and not r:has_flag("C") or m ~= "S" and m ~= "R" and r:has_flag("N")
end

-- base64 returns the flag for a key that the client sends encoded.
local function base64(r)
    return r:has_flag("b") and " b" or ""
end

-- words returns the words of a command. (token returns the key for every number.)
local function words(r)
    local all = {}
    for word in r:raw_line():gmatch("%S+") do
        all[#all + 1] = word
    end
    return all
end

-- meta returns a meta command without some of its flags, and with others.
local function meta(r, without, with)
    local command, flags = r:raw_line():match("^(%S+ +%S+)(.*)$")
    return mcp.request(command .. flags:gsub(" +[" .. without .. "]%S*", "") .. with .. "\r\n", r)
end

local function inMeta(r)
    local all = words(r)
    local line = CLASSIC[r:command()]:gsub("%$(%d)", function(i) return all[tonumber(i)] end)
    return mcp.request(line .. "\r\n", r)
end

local function unique(r, kind)
    local time, random = mcp.time_real_millis() & 0x3fffffff, math.random(0, 0x7ffff)
    return tostring(PROXY << 52 | time << 22 | random << 3 | kind << 1 | (base64(r) == "" and 0 or 1))
end

-- fresh returns a CAS unique of a plain item.
local function fresh()
    return math.random(1 << 32, (PROXY << 52) - 1)
end

local function state(number)
    number = math.tointeger(tonumber(number)) or 0
    return number >> 52 == PROXY and STATES[number >> 1 & 3] or "plain"
end

-- A Route runs the commands of clients, one at a time, in a change of the servers.
local Route <const> = {}
Route.__index = Route

-- run sends a request to a pool. A handle serves one request of a command, so each request takes the next handle.
function Route:run(r, pool)
    self.used[pool] = self.used[pool] + 1
    local handle = self.pools[pool][self.used[pool]]
    return handle and self.rctx:enqueue_and_wait(r, handle) or BUSY
end

function Route:about(r, pool, command, flags, value)
    local size = value and " " .. #value - 2 or ""
    return self:run(mcp.request(command .. " " .. r:key() .. size .. base64(r) .. flags .. "\r\n", value), pool)
end

-- nothing returns the response that the proxy does not send.
function Route:nothing(r)
    self.null(self.empty, r)
    return self.empty
end

-- classic returns the response to a classic command for the one to its meta command.
function Route:classic(r, res)
    if type(res) ~= "string" and not res:ok() then
        return res
    elseif r:raw_line():lower():find(" noreply$") then
        return self:nothing(r)
    end
    local code, rest = (type(res) == "string" and res or res:raw_string()):match("^(%u%u)[ \r].-\n(.*)$")
    if code == "VA" then
        return rest
    end
    local special = RESPONSES_OF[r:command()]
    return code and (special and special[code] or RESPONSES[code]) .. "\r\n" or res
end

-- respond returns a response to a meta command, with the flags that a server returns for it. values has those of the item.
function Route:respond(r, code, values, body)
    if code == "EN" and r:has_flag("q") then
        return self:nothing(r)
    end
    local line, all = code, words(r)
    values = values or r:command() == mcp.CMD_MS and { c = 0, s = all[3] } or {}
    values.k = r:key() .. base64(r)
    for i = 3, #all do
        local word = all[i]
        local value = word:find("^O") and "" or values[word]
        line = value and line .. " " .. word .. value or line
    end
    return line .. "\r\n" .. (body or "")
end

-- miss returns the response to a command that does not create an item, for a missing key.
function Route:miss(r)
    local m = mode(r)
    if GETS[r:command()] then
        return "END\r\n"
    elseif r:command() == mcp.CMD_MG or r:command() == mcp.CMD_ME then
        return self:respond(r, "EN")
    end
    local keeps = m == "A" or m == "P" or m == "R" and not r:has_flag("C")
    return self:respond(r, keeps and "NS" or "NF")
end

-- wait pauses for another proxy, each time longer. It returns false if this command has waited LEASE seconds for the same item.
function Route:wait(item)
    if self.awaited ~= item.unique then
        self.awaited, self.waited = item.unique, 0
    elseif self.waited >= LEASE then
        return false
    end
    local pause = self.waited == 0 and 0.001 or math.min(2 * self.waited, 1)
    self.rctx:sleep(pause)
    self.waited = self.waited + pause
    return true
end

-- peek returns the item of a pool, and its value if wanted. It does not count as a use of the item.
function Route:peek(r, pool, wanted)
    local res = self:about(r, pool, "mg", wanted and " u f t c v" or " u f t c")
    if not res:ok() then
        return { state = "down", res = res }
    elseif not res:hit() then
        return { state = "absent" }
    end
    local item, rest = { value = wanted and res:raw_string():sub(-res:vlen() - 2) }, nil
    item.flags, item.ttl, item.unique, rest = res:raw_string():match("^%u+[ %d]* f(%d+) t(%-?%d+) c(%d+)(.-)\r\n")
    item.state, item.stale = state(item.unique), rest:find("[WXZ]") ~= nil
    if rest:find("W") then -- gives the W of a stale item, which mg has taken, to the next client
        self:about(r, pool, "md", " I C" .. item.unique .. " E" .. item.unique)
    end
    return item
end

function Route:remove(r, pool, number)
    return done(self:about(r, pool, "md", " C" .. number))
end

-- put stores the item that this proxy owns on P in a pool, in place of what has the CAS unique of the owner there. It returns nil if this
-- proxy is not the owner.
function Route:put(r, owned, pool, with)
    local item = self:peek(r, "previous", true) -- another proxy may have taken it, or changed its TTL
    if item.unique ~= owned then
        return nil
    end
    local ttl = item.ttl == "-1" and 0 or math.max(tonumber(item.ttl), 1) -- a server returns 0 for less than a second
    local since = ttl > MAX_RELATIVE_TTL and mcp.time_real_millis() // 1000 or 0
    return self:about(r, pool, "ms", " C" .. owned .. " F" .. item.flags .. " T" .. since + ttl .. with, item.value)
end

-- own makes this proxy the owner of an item on P, and returns its CAS unique. An append of nothing keeps everything else. memcached does not
-- append to an item on flash.
function Route:own(r, number)
    local owned = unique(r, OWNED)
    local res = self:about(r, "previous", "ms", " MA C" .. number .. " E" .. owned, "\r\n")
    if not done(res) then
        res = self:put(r, number, "previous", " E" .. owned)
    end
    return res and done(res) and owned or nil
end

-- clear removes a fence or a copy of another owner from C, while this proxy owns the item on P. It returns whether C has nothing.
function Route:clear(r, owned)
    local item = self:peek(r, "current")
    return item.state == "absent" or item.state ~= "down"
        and self:peek(r, "previous").unique == owned and self:remove(r, "current", item.unique)
end

-- recover takes an item from an owner that has not finished, with what that owner may have stored on C.
function Route:recover(r, number)
    local owned = self:own(r, number)
    if owned and (self.phase == "announcing" or self:clear(r, owned)) then
        self:put(r, owned, "previous", "")
    end
end

-- reserve stores a claim on P, or a fence or a lock on C.
function Route:reserve(r, pool, number)
    return self:about(r, pool, "ms", " ME E" .. number .. " T" .. (pool == "previous" and LEASE or FENCE), "\r\n")
end

-- move moves an item from P to C, with its CAS unique. If a step fails, P still decides. It returns true if the item has moved, is
-- missing, or cannot move.
function Route:move(r)
    local item = copies(r) and self:previous(r) or self:peek(r, "previous") -- the Job waits, because no client may ever use the item
    if item.state ~= "plain" or item.stale then -- the copy of a stale item would be a fresh one
        return item.state ~= "owned" and item.state ~= "down"
    end
    local owned = self:own(r, item.unique)
    return owned and self:copy(r, owned, " E" .. item.unique)
end

function Route:copy(r, owned, with)
    local res = self:reserve(r, "current", owned)
    if not done(res) and self:clear(r, owned) then
        res = self:reserve(r, "current", owned)
    end
    local fenced = done(res)
    if fenced then
        res = self:put(r, owned, "current", with)
    end
    if fenced and res and done(res) then
        local moved = self:remove(r, "previous", owned)
        for _ = 1, copies(r) and 0 or 2 do -- C keeps what was read twice. It would evict this item before older ones that the Job moves later
            self:about(r, "current", "mg", "")
        end
        return moved
    elseif res and not responded(res) then -- the copy can still arrive. The next owner removes the fence first
        return false
    elseif fenced then
        self:remove(r, "current", owned)
    end
    self:put(r, owned, "previous", with)
    return res and not res:ok() -- C refuses the item, which may be too large
end

-- previous returns the item on P if P decides, and otherwise an absent one.
function Route:previous(r)
    local closing = self.phase == "closing"
    local claims = self.phase == "announcing" or creates(r) and not closing -- whether a claim makes a difference
    while true do
        local item = self:peek(r, "previous", touches(r))
        if item.state == "claim" and not claims then
            return { state = "absent" }
        elseif item.state == "absent" or item.state == "down" or item.state == "plain" and not closing then
            return item
        elseif item.state == "plain" or not self:wait(item) then
            if closing and self:peek(r, "current").state == "down" then -- P and C can be parts of a kept server that was down a moment ago
                return { state = "down", res = BUSY }
            elseif closing or item.state ~= "owned" then
                self:remove(r, "previous", item.unique)
            else
                self:recover(r, item.unique)
            end
        end
    end
end

-- look returns the item on C if C decides. It waits for fences in use, and removes others, so that an owner that is late does not copy an
-- item that P has lost.
function Route:look(r)
    while true do
        local item = self:peek(r, "current", touches(r))
        if item.state == "absent" or item.state == "plain" or item.state == "down" then
            return item
        end
        local inUse = item.state == "lock" or item.state == "claim" and self:peek(r, "previous").unique == item.unique
        if not inUse or not self:wait(item) then
            self:remove(r, "current", item.unique)
        end
    end
end

local function shown(r, res)
    if r:command() == mcp.CMD_GETS then
        return res:raw_string():match("^VALUE %S+ %d+ %d+ (%d+)")
    elseif r:command() == mcp.CMD_MG and r:has_flag("c") then
        return res:raw_string():match("^[^\r]- c(%d+)")
    end
end

-- exactly runs a read in a pool. It returns the response, the state of the item, and the CAS unique if it is shown. An empty item can be one
-- of a proxy: if the response does not show it, the item is the same before and after the read.
function Route:exactly(r, pool)
    local hides = r:command() == mcp.CMD_MG and not r:has_flag("v") and not r:has_flag("c") -- a second mg would get no W
    r = hides and meta(r, " ", " c") or r
    local before
    while true do
        local res = self:run(r, pool)
        if not res:ok() or not res:hit() then
            return res, res:ok() and "absent" or "down"
        end
        local number = shown(r, res)
        if hides then
            return res:raw_string():gsub(" c" .. number, "", 1), state(number)
        elseif number or res:vlen() > 0 then
            return res, state(number), number
        end
        local item = self:peek(r, pool)
        if item.unique == before or item.state ~= "plain" and item.state ~= "owned" then
            return item.res or res, item.state
        end
        before = item.unique
    end
end

function Route:readCurrent(r)
    while true do
        local res, seen = self:exactly(r, "current")
        if seen == "absent" or seen == "claim" or seen == "lock" then
            return self:miss(r)
        elseif seen ~= "owned" then
            return res
        end
        self:look(r)
    end
end

-- read runs a read. It also returns whether P has the item.
function Route:read(r)
    if self.phase == "closing" then
        local item = self:previous(r)
        return item.state == "down" and item.res or self:readCurrent(r)
    end
    while true do
        local res, seen, number = self:exactly(r, "previous")
        if seen == "down" then
            return res
        elseif seen == "absent" or seen == "claim" then
            return self.phase == "announcing" and self:miss(r) or self:readCurrent(r)
        elseif seen == "plain" or not number then
            return res, true
        elseif not self:wait({ unique = number }) then -- the item soon has the CAS unique again that it had before
            self:recover(r, number)
        end
    end
end

-- fetch runs gat, or mg with T or N, for an item that was seen. If the item can move, it is stored again with the other TTL and the same CAS
-- unique, because memcached has no conditional touch. It returns nil if another command has changed the item.
function Route:fetch(r, pool, item)
    local gat = GETS[r:command()]
    local ttl = gat and words(r)[2] or token(r, "T")
    local moves = self.phase == "preparing" or self.phase == "warming"
    if not ttl or item.stale or not moves and item.value ~= "\r\n" then
        local res, seen = self:exactly(gat and r or meta(r, "N", ""), pool)
        return (seen == "plain" or seen == "down") and res or nil
    end
    local read = pool == "previous" and self.read or self.readCurrent
    local reading = gat and mcp.request(r:raw_line():gsub("^gat(s?) %S+", "get%1") .. "\r\n") or meta(r, "NRT", "")
    local past = ttl:find("^-") or tonumber(ttl) > MAX_RELATIVE_TTL and tonumber(ttl) <= mcp.time_real_millis() // 1000
    local after = not past and not gat and r:raw_line():find("%f[%S]T.* t") -- servers run the flags of mg in their order
    local before = not after and read(self, reading)
    local flags = " C" .. item.unique .. " E" .. item.unique .. " F" .. item.flags .. " T" .. ttl
    local res = self:about(r, pool, "ms", flags, item.value)
    if done(res) then
        return before or (read(self, reading))
    end
    return settled(res)
end

-- change runs a command that may change an item that was seen. It returns nil if another command has changed the item.
function Route:change(r, pool, item)
    local command, number = r:command(), token(r, "C")
    if command == mcp.CMD_MG or GETS[command] then
        return self:fetch(r, pool, item)
    elseif mode(r) == "E" then
        return self:respond(r, "NS")
    elseif number and number ~= item.unique then
        return self:respond(r, "EX")
    end
    local without = command == mcp.CMD_MS and "CIN" or "CN" -- I compares CAS uniques by their order: it would replace a fence
    local with = command == mcp.CMD_MD and r:has_flag("x") and not r:has_flag("E") and " E" .. fresh() or "" -- x keeps the CAS unique
    local res = self:run(meta(r, without, with .. " C" .. item.unique), pool)
    local flash = res:ok() and res:code() == mcp.MCMC_CODE_NOT_STORED -- append to an item on flash
    local text = command == mcp.CMD_MA and not res:ok() and responded(res) -- which memcached refuses before it compares CAS uniques
    if flash or text then
        return self:peek(r, pool).unique == item.unique and res or nil
    end
    return settled(res)
end

-- store stores the item of a missing key, in the place of a claim or of a fence if there is one. It returns nil if it is not there. mg with N
-- creates an item that no command with a condition can create.
function Route:store(r, pool, number)
    local condition = number and " C" .. number or " ME"
    if r:command() == mcp.CMD_MA then
        return self:storeNumber(r, pool, condition)
    elseif r:command() == mcp.CMD_MG then
        local res = self:run(r, pool)
        local created = not res:ok() or res:raw_string():find("^[^\r]* W[ \r]")
        return created and res or nil
    end
    local appends = mode(r) == "A" or mode(r) == "P"
    local ttl = appends and " T" .. token(r, "N") or ""
    local res = self:run(meta(r, appends and "CIMNT" or "CIMN", ttl .. condition), pool)
    return settled(res)
end

-- storeNumber is store for ma with N.
function Route:storeNumber(r, pool, condition)
    local initial, number, ttl = token(r, "J") or "0", token(r, "E") or fresh(), token(r, "N") or "0"
    local res = self:about(r, pool, "ms", " T" .. ttl .. " E" .. number .. condition, initial .. "\r\n")
    if not done(res) or r:has_flag("q") then -- the proxy does not send HD with q
        return settled(res)
    end
    local values = { c = number, t = ttl == "0" and "-1" or ttl }
    local wanted = r:has_flag("v")
    return self:respond(r, wanted and "VA " .. #initial or "HD", values, wanted and initial .. "\r\n")
end

-- create creates the item of a missing key, under a claim on P or a lock on C. It returns nil if another proxy was faster.
function Route:create(r)
    local phase, vivifies = self.phase, r:command() == mcp.CMD_MG
    if phase == "announcing" or phase == "closing" then
        return self:store(r, phase == "closing" and "current" or "previous")
    end
    local locks = vivifies and phase == "preparing" -- mg with N would find a claim
    local number, reserved = unique(r, locks and LOCK or CLAIM), locks and "current" or "previous"
    local res = self:reserve(r, reserved, number)
    if not done(res) then
        return settled(res)
    elseif vivifies then
        repeat
            res = self:store(r, locks and "previous" or "current")
        until res or not locks or self:previous(r).state ~= "absent"
    elseif phase == "preparing" then
        local item = self:peek(r, "current")
        res = item.state == "absent" and self:store(r, "previous", number) or item.res
    else
        local fenced = self:reserve(r, "current", number)
        if done(fenced) and self:peek(r, "previous").unique == number then
            res = self:store(r, "current", number)
        else
            self:remove(r, "current", number)
            res = not fenced:ok() and fenced or nil
        end
    end
    local stored = type(res) == "string" or res and res:ok()
    if phase == "warming" or vivifies or not stored then -- otherwise the item is in its place
        self:remove(r, reserved, number)
    end
    return res
end

-- decided runs a command for a key that moves. It also returns whether P has an item that can move.
function Route:decided(r)
    if reads(r) then
        return self:read(r)
    elseif CLASSIC[r:command()] then
        local res, here = self:decided(inMeta(r))
        return self:classic(r, res), here
    end
    while true do
        local item, pool = self:previous(r), "previous"
        if item.state == "absent" and self.phase ~= "announcing" then
            item, pool = self:look(r), "current"
        end
        local res
        if item.state == "down" then
            return item.res
        elseif item.state ~= "absent" then
            res = self:change(r, pool, item)
        elseif creates(r) then
            res = self:create(r)
        else
            return self:miss(r)
        end
        if res then
            return res, item.state == "plain" and pool == "previous" and r:command() ~= mcp.CMD_MD
        end
    end
end

function Route:serve(r)
    if self.phase == "warming" and copies(r) and r:key() == COPY then
        return "SERVER_ERROR warming\r\n"
    end
    local used = self.used
    used.kept, used.previous, used.current, self.awaited = 0, 0, 0, nil
    if self.phase ~= "announcing" then
        local res = self:run(r, "kept")
        if responded(res) then
            return res
        elseif res:elapsed() > LOCAL and not self:about(r, "current", "me", " k"):ok() then
            return res -- the key does not move. Its server has failed, maybe after it executed the command
        end
    end
    local res, here = self:decided(r)
    if here and self.phase == "warming" and used.previous + MOVE <= HANDLES.previous and not self:move(r) and copies(r) then
        return BUSY
    end
    return res
end

function route_servers_f(rctx, arg)
    local route = setmetatable({ rctx = rctx, null = arg.null, empty = rctx:response_new(), phase = arg.phase, pools = arg.pools, used = {} }, Route)
    local steady = arg.phase == nil and arg.pools.current[1]
    local count, hits, misses = mcp.stat, arg.hits, arg.misses
    return function(r)
        local res = steady and rctx:enqueue_and_wait(r, steady) or route:serve(r)
        if not COUNTED[r:command()] then
            return res == BUSY and BUSY.raw_string() or res
        end
        local text, ofJob = type(res) == "string", not steady and copies(r)
        local hit = text and res:find("^[VH]") or not text and res ~= route.empty and res:hit()
        if not ofJob then
            count(hit and hits or misses, 1)
        end
        if hit then
            return res
        end
        local unread = not text and not responded(res)
        if res == BUSY or unread and copies(r) then
            return BUSY.raw_string()
        end
        return unread and route:miss(r) or res
    end
end

function route_servers_start(a, ctx, fgen)
    local arg = { null = mcp.res_mutator_new({ t = "resnull", idx = 1 }), phase = a.phase, hits = a.hits, misses = a.misses, pools = {} }
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
