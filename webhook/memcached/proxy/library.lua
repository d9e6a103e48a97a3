-- Routes of the proxy, for memcached's routelib:
--   memcached -o proxy_config=routelib:library.lua,proxy_arg=config.lua
-- The configuration calls servers{to = {...}}, or during a change of the servers
--   servers{from = {...}, to = {...}, phase = "announcing" | "preparing" | "warming" | "closing"}
-- with the host:port of the servers before the change (from) and after it (to).
--
-- The shorter of both is the beginning of the longer one, or they have no server in common and every key moves. A jump hash
-- distributes the keys, so a key either keeps its server, or it moves from a previous server P to a current server C. Proxies in two
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

-- The first 12 bits of the CAS uniques of proxies. 30 bits of time and 19 of a random number follow, then the KIND, and a bit that says that
-- the key is in base64, which memcached forgets while an item is owned. Servers count CAS uniques from 1.
local PROXY <const> = 0x6d6
local KIND <const> = { owned = 0, claim = 1, lock = 2 }
local KINDS <const> = { [0] = "owned", "claim", "lock", "lock" }
-- Client flags of empty items of proxies.
local FLAGS <const> = 0x6d6f7665 -- "move"
-- No item has this CAS unique.
local NEVER <const> = (PROXY << 52) - 1

-- settings, pools and routes for the servers before and after a change. A pool whose first or last servers are marked as down
-- tells keys apart: a request for a key of a server that is marked as down fails within the proxy.
function servers(change)
    settings{
        backend_connect_timeout = TIMEOUT,
        backend_read_timeout = TIMEOUT,
        backend_retry_waittime = 1, -- seconds from one attempt to connect to the next
        backend_failure_limit = 1,  -- the first failure reconnects immediately, because a client can cause it
        tcp_keepalive = true,
    }
    local current, previous = change.to, change.from
    if previous == nil then
        pools{ current = { backends = current } }
        return routes{ default = route_servers{ child_current = "current" } }
    end
    if change.phase == "announcing" then -- new servers may not exist yet
        pools{ previous = { backends = previous } }
        return routes{ default = route_servers{ child_previous = "previous", phase = change.phase } }
    end
    local grows = #current > #previous
    local longer = grows and current or previous
    local shared = current[1] == previous[1] and math.min(#current, #previous) or 0
    local first, rest = {}, {}
    for i, server in ipairs(longer) do
        local down = { host = "moved", port = "0", label = "moved", down = true }
        first[i] = i <= shared and server or down
        rest[i] = i > shared and server or down
    end
    pools{
        kept = { backends = first },
        previous = { backends = grows and previous or rest },
        current = { backends = grows and rest or current },
    }
    routes{ default = route_servers{ child_kept = "kept", child_previous = "previous", child_current = "current", phase = change.phase } }
end

function route_servers_conf(arguments)
    return arguments
end

-- responded reports whether a server responded. It is false for a server that is down, and for a key of another pool.
local function responded(res)
    if res:ok() then
        return true
    end
    local line = res:raw_string()
    return line ~= nil and line:find("^%u*_?ERROR") ~= nil
end

local function has(res, code)
    return res:ok() and res:code() == code
end

local EXISTS <const>, NOT_FOUND <const>, NOT_STORED <const> = mcp.MCMC_CODE_EXISTS, mcp.MCMC_CODE_NOT_FOUND, mcp.MCMC_CODE_NOT_STORED

local MISSING <const> = { [mcp.MCMC_CODE_END] = true, [NOT_FOUND] = true, [NOT_STORED] = true }

local function missing(res)
    return res:ok() and MISSING[res:code()] == true
end

-- done reports whether a server has executed a conditional change.
local function done(res)
    return res:ok() and not missing(res) and not has(res, EXISTS)
end

local GETS <const> = { [mcp.CMD_GET] = true, [mcp.CMD_GETS] = true, [mcp.CMD_GAT] = true, [mcp.CMD_GATS] = true }
local META <const> = { [mcp.CMD_MG] = true, [mcp.CMD_MS] = true, [mcp.CMD_MD] = true, [mcp.CMD_MA] = true, [mcp.CMD_ME] = true }

-- CLASSIC has meta commands for the classic commands that change an item: only those have conditions. A number is a word of the command.
local CLASSIC <const> = {
    [mcp.CMD_SET] = "ms $2 $5 F$3 T$4", [mcp.CMD_ADD] = "ms $2 $5 F$3 T$4 ME", [mcp.CMD_REPLACE] = "ms $2 $5 F$3 T$4 MR",
    [mcp.CMD_CAS] = "ms $2 $5 F$3 T$4 C$6", [mcp.CMD_APPEND] = "ms $2 $5 MA", [mcp.CMD_PREPEND] = "ms $2 $5 MP",
    [mcp.CMD_INCR] = "ma $2 D$3 v", [mcp.CMD_DECR] = "ma $2 D$3 MD v", [mcp.CMD_DELETE] = "md $2",
    [mcp.CMD_TOUCH] = "mg $2 T$3", [mcp.CMD_GAT] = "mg $3 T$2", [mcp.CMD_GATS] = "mg $3 T$2",
}
-- RESPONSES has classic responses for codes of meta commands, if they are not those of one command.
local RESPONSES <const> = { HD = "STORED", NS = "NOT_STORED", EX = "EXISTS", NF = "NOT_FOUND", EN = "END" }
local RESPONSES_OF <const> = { [mcp.CMD_DELETE] = { HD = "DELETED" }, [mcp.CMD_TOUCH] = { HD = "TOUCHED", EN = "NOT_FOUND" } }

-- BUSY is the response to a command that finds other commands at the same key again and again.
local BUSY <const> = { ok = function() return false end, raw_string = function() return "SERVER_ERROR busy\r\n" end }

local function token(r, flag)
    return select(2, r:flag_token(flag))
end

-- copies reports whether the Job that copies items has sent a command.
local function copies(r)
    return r:command() == mcp.CMD_MG and token(r, "O") == COPY
end

-- touches reports whether a command only changes the TTL of an item. memcached has no condition for that.
local function touches(r)
    return r:command() == mcp.CMD_MG and r:has_flag("T")
end

-- reads reports whether a command changes nothing.
local function reads(r)
    return not CLASSIC[r:command()] and (not META[r:command()] or r:command() == mcp.CMD_ME or r:command() == mcp.CMD_MG and not r:has_flag("T") and not r:has_flag("N"))
end

-- mode returns the mode of ms.
local function mode(r)
    return r:command() == mcp.CMD_MS and (token(r, "M") or "S"):sub(1, 1):upper() or ""
end

-- creates reports whether a meta command creates the item of a missing key.
local function creates(r)
    local m = mode(r)
    return m == "E" or m == "S" and not r:has_flag("C") or m ~= "S" and m ~= "R" and r:has_flag("N")
end

-- base64 returns the flag for a key that the client sends encoded.
local function base64(r)
    return META[r:command()] and r:has_flag("b") and " b" or ""
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
    local all = words(r)
    local line = all[1] .. " " .. all[2]
    for i = 3, #all do
        local isFlag = i > 3 or r:command() ~= mcp.CMD_MS
        if not isFlag or not all[i]:find("^[" .. without .. "]") then
            line = line .. " " .. all[i]
        end
    end
    return mcp.request(line .. with .. "\r\n", r)
end

-- inMeta returns the meta command for a classic command.
local function inMeta(r)
    local all = words(r)
    local line = CLASSIC[r:command()]:gsub("%$(%d)", function(i) return all[tonumber(i)] end)
    return mcp.request(line .. "\r\n", r)
end

-- unique returns a CAS unique of a proxy.
local function unique(r, kind)
    local time, random = mcp.time_real_millis() & 0x3fffffff, math.random(0, 0x7ffff)
    return PROXY << 52 | time << 22 | random << 3 | KIND[kind] << 1 | (base64(r) == "" and 0 or 1)
end

-- fresh returns a CAS unique of a plain item.
local function fresh()
    return math.random(1 << 32, NEVER - 1)
end

-- state returns the state of an item with a CAS unique.
local function state(number)
    number = math.tointeger(tonumber(number)) or 0
    return number >> 52 == PROXY and KINDS[number >> 1 & 3] or "plain"
end

-- expiry returns the flag for a TTL as a server returns it: 0 for less than a second.
local function expiry(ttl)
    if ttl == "-1" then
        return ""
    elseif ttl == "0" then
        return " T1"
    end
    return " T" .. (tonumber(ttl) > MAX_RELATIVE_TTL and mcp.time_real_millis() // 1000 + tonumber(ttl) or ttl)
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

-- about sends a meta command for the key of a request.
function Route:about(r, pool, command, flags, value)
    local size = value and " " .. #value - 2 or ""
    return self:run(mcp.request(command .. " " .. r:key() .. size .. base64(r) .. flags .. "\r\n", value), pool)
end

-- nothing returns the response that the proxy does not send.
function Route:nothing(r)
    self.null(self.empty, r)
    return self.empty
end

-- classic returns the response to a classic command for the one to its meta command. That to gat and gats is classic: the proxy cuts a string
-- that is as long as a value.
function Route:classic(r, res)
    if res == BUSY or type(res) ~= "string" and (GETS[r:command()] or not res:ok()) then
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

-- miss returns the response to a read of a missing item.
function Route:miss(r)
    if not META[r:command()] then
        return "END\r\n"
    elseif r:has_flag("q") then
        return self:nothing(r)
    end
    local line = "EN"
    for i, word in ipairs(words(r)) do -- a server returns the flags in the order of the request
        if i > 2 and word:find("^O") then
            line = line .. " " .. word
        elseif i > 2 and word == "k" then
            line = line .. " k" .. r:key() .. base64(r)
        end
    end
    return line .. "\r\n"
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

-- peek returns the item of a pool. Without flags for mg it has no side effect: mg would take the W of a stale item, and read flash. me
-- prints a binary key as it is, which can be no line.
function Route:peek(r, pool, flags)
    flags = flags or base64(r) ~= "" and "" or nil
    local res = self:about(r, pool, flags and "mg" or "me", flags and " f t c" .. flags or " v") -- me needs one more word
    if missing(res) then
        return { state = "absent" }
    elseif not res:ok() then
        return { state = "down", res = res }
    elseif not flags then
        local number = res:raw_string():match(" exp=%-?%d+ la=%d+ cas=(%d+)")
        return { state = state(number), unique = number }
    end
    local item, rest = {}, nil
    item.flags, item.ttl, item.unique, rest = res:line():match("^f(%d+) t(%-?%d+) c(%d+)(.*)$")
    item.state, item.stale = state(item.unique), rest:find("[WXZ]") ~= nil
    item.value = flags ~= "" and res:raw_string():sub(-res:vlen() - 2)
    if rest:find("W") then -- gives the W of a stale item, which mg has taken, to the next client
        self:about(r, pool, "md", " I C" .. item.unique .. " E" .. item.unique)
    end
    return item
end

-- remove deletes an item that has a CAS unique.
function Route:remove(r, pool, number)
    return done(self:about(r, pool, "md", " C" .. number))
end

-- renew changes only the CAS unique of an item on P: an append of nothing keeps everything else, also what other proxies change at
-- the same time. memcached does not append to an item on flash, so that is stored again. It returns whether the item had the unique.
function Route:renew(r, number, flags, append)
    local condition = " C" .. number .. flags
    local res = append and self:about(r, "previous", "ms", " MA" .. condition, "\r\n")
    if not append or has(res, NOT_STORED) then
        local item = self:peek(r, "previous", " v")
        if item.unique ~= tostring(number) then
            return false
        end
        res = self:about(r, "previous", "ms", condition .. " F" .. item.flags .. expiry(item.ttl), item.value)
    end
    return done(res)
end

-- own makes this proxy the owner of an item on P.
function Route:own(r, number)
    local new = unique(r, "owned")
    return self:renew(r, number, " E" .. new, true) and new or nil
end

-- release ends the ownership. The item gets the CAS unique that it had before, or a new one. An append made memcached forget that
-- the key is in base64.
function Route:release(r, owned, number)
    self:renew(r, owned, number and " E" .. number or "", base64(r) == "")
end

-- clear removes a fence or a copy of another owner from C, while this proxy owns the item on P. It returns whether C has nothing.
function Route:clear(r, owned)
    local item = self:peek(r, "current")
    return item.state == "absent" or item.state ~= "down"
        and self:peek(r, "previous").unique == tostring(owned) and self:remove(r, "current", item.unique)
end

-- recover takes an item from an owner that has not finished, with what that owner may have stored on C.
function Route:recover(r, number)
    local owned = self:own(r, number)
    if owned and (self.phase == "announcing" or self:clear(r, owned)) then
        self:release(r, owned)
    end
end

-- fence lets nobody but this proxy store an item on C.
function Route:fence(r, number)
    return self:about(r, "current", "ms", " ME E" .. number .. " F" .. FLAGS .. " T" .. FENCE, "\r\n")
end

-- move moves an item from P to C, with its CAS unique. If a step fails, P still decides. It returns true if the item has moved, is
-- missing, or cannot move.
function Route:move(r)
    local item = self:peek(r, "previous", "")
    if item.state == "owned" and copies(r) then -- no client may ever change this item, so the Job takes it from the owner
        while item.state == "owned" and self:wait(item) do
            item = self:peek(r, "previous", "")
        end
        if item.state == "owned" then
            self:recover(r, item.unique)
        end
    end
    if item.state ~= "plain" then
        return item.state == "absent" or item.state == "claim"
    elseif item.stale then -- the copy would be a fresh item
        return true
    end
    local owned = self:own(r, item.unique)
    return owned and self:copy(r, owned, item.unique)
end

-- copy moves an item that this proxy owns.
function Route:copy(r, owned, number)
    local res = self:fence(r, owned)
    if has(res, NOT_STORED) and self:clear(r, owned) then
        res = self:fence(r, owned)
    end
    if done(res) then
        local item = self:peek(r, "previous", " v") -- another proxy may have taken it, or changed its TTL
        if item.unique ~= tostring(owned) then
            self:remove(r, "current", owned)
            return false
        end
        res = self:about(r, "current", "ms", " C" .. owned .. " E" .. number .. " F" .. item.flags .. expiry(item.ttl), item.value)
        if done(res) then
            local moved = self:remove(r, "previous", owned)
            for _ = 1, copies(r) and 0 or 2 do -- C keeps what was read twice. It would evict this item before older ones that the Job moves later
                self:about(r, "current", "mg", "")
            end
            return moved
        elseif responded(res) then
            self:remove(r, "current", owned)
        end
    end
    if responded(res) then -- otherwise a copy can still arrive. The next owner removes the fence first
        self:release(r, owned, number)
    end
    return not res:ok() and responded(res) -- C refuses the item, which may be too large
end

-- previous returns the item on P if P decides, and otherwise an absent one.
function Route:previous(r, flags)
    local closing = self.phase == "closing"
    local claims = self.phase == "announcing" or creates(r) and not closing -- whether a claim makes a difference
    while true do
        local item = self:peek(r, "previous", flags)
        if item.state == "claim" and not claims then
            return { state = "absent" }
        elseif item.state == "absent" or item.state == "down" or item.state == "plain" and not closing then
            return item
        elseif item.state == "plain" or not self:wait(item) then
            if closing and not self:about(r, "current", "me", " v"):ok() then -- P and C can be parts of a kept server that was down a moment ago
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
function Route:look(r, flags)
    while true do
        local item = self:peek(r, "current", flags)
        if item.state == "absent" or item.state == "plain" or item.state == "down" then
            return item
        end
        local inUse = item.state == "lock" or item.state == "claim" and self:peek(r, "previous").unique == item.unique
        if not inUse or not self:wait(item) then
            self:remove(r, "current", item.unique)
        end
    end
end

-- shown returns the CAS unique that the response to a read shows.
local function shown(r, res)
    local command = r:command()
    if command == mcp.CMD_GETS then
        return res:raw_string():match("^VALUE %S+ %d+ %d+ (%d+)")
    elseif command == mcp.CMD_MG and r:has_flag("c") then
        return (" " .. res:line()):match(" c(%d+)")
    end
end

-- exactly runs a read in a pool. It returns the response, the state of the item, and the CAS unique if it is shown. An empty item can be one
-- of a proxy: if the response does not show it, the item is the same before and after the read.
function Route:exactly(r, pool, before)
    local hides = r:command() == mcp.CMD_MG and not r:has_flag("v") and not r:has_flag("c") -- a second mg would get no W
    r = hides and meta(r, " ", " c") or r
    while true do
        local res = self:run(r, pool)
        if not res:ok() or missing(res) then
            return res, res:ok() and "absent" or "down"
        end
        local number = shown(r, res)
        if hides then
            return (res:raw_string():gsub(" c" .. number, "", 1)), state(number)
        elseif number then
            return res, state(number), number
        elseif res:vlen() > 0 then
            return res, "plain"
        end
        local item = self:peek(r, pool)
        if item.state == "down" then
            return item.res, "down"
        elseif item.unique and (item.unique == before or item.state == "claim" or item.state ~= "plain" and pool == "current") then
            return res, item.state
        end
        before = item.unique
    end
end

-- readCurrent runs a read on C.
function Route:readCurrent(r)
    while true do
        local res, seen = self:exactly(r, "current")
        if seen == "claim" or seen == "lock" then
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
        elseif (seen == "absent" or seen == "claim") and self.phase ~= "announcing" then
            return self:readCurrent(r)
        elseif seen == "absent" or seen == "claim" then
            return self:miss(r)
        elseif seen == "plain" or not number then
            return res, true
        elseif not self:wait({ unique = number }) then -- the item soon has the CAS unique again that it had before
            self:recover(r, number)
        end
    end
end

-- touch runs a command that changes the TTL of an item. It stores the item again, with the same CAS unique, because
-- memcached has no conditional touch. It returns nil if another command has changed the item.
function Route:touch(r, pool, item)
    local ttl = token(r, "T") or "0"
    local past = ttl:find("^-") or tonumber(ttl) and tonumber(ttl) > MAX_RELATIVE_TTL and tonumber(ttl) <= mcp.time_real_millis() // 1000
    local moves = self.phase == "preparing" or self.phase == "warming"
    if item.stale or not moves and not past then -- the item does not move, so this needs no condition
        local res, seen = self:exactly(self.original, pool, item.unique)
        return (seen == "plain" or seen == "down") and res or nil
    end
    local read, reading = pool == "previous" and self.read or self.readCurrent, meta(r, "T", "")
    if GETS[self.original:command()] then
        reading = mcp.request((self.original:command() == mcp.CMD_GATS and "gets " or "get ") .. r:key() .. "\r\n")
    end
    local former = past or r:raw_line():find(" t .*%f[%S]T") -- servers run the flags of mg in their order
    local before = former and read(self, reading)
    local flags = " C" .. item.unique .. " E" .. item.unique .. " F" .. item.flags .. " T" .. ttl
    local res = self:about(r, pool, "ms", flags, item.value)
    if not res:ok() then
        return res
    elseif not done(res) then
        return nil
    end
    return before or (read(self, reading))
end

-- change runs a command that may change an item that was seen. It returns nil if another command has changed the item.
function Route:change(r, pool, item)
    local command, number = r:command(), token(r, "C")
    local without = command == mcp.CMD_MS and "IN" or "N" -- I compares CAS uniques by their order: it would replace a fence
    if touches(r) then
        return self:touch(r, pool, item)
    elseif command == mcp.CMD_MG then -- N, and the item exists
        local res, seen = self:exactly(meta(r, "N", ""), pool)
        return (seen == "plain" or seen == "down") and res or nil
    elseif mode(r) == "E" then
        local res = self:run(meta(r, "MIC", " C" .. NEVER), pool)
        return has(res, EXISTS) and res:raw_string():gsub("^EX", "NS", 1) or not missing(res) and res or nil
    elseif number and number ~= item.unique then
        local res = self:run(meta(r, without, ""), pool)
        return not missing(res) and res or nil
    end
    local with = command == mcp.CMD_MD and r:has_flag("x") and not r:has_flag("E") and " E" .. fresh() or "" -- x keeps the CAS unique
    local res = self:run(meta(r, without .. "C", with .. " C" .. item.unique), pool)
    if has(res, NOT_STORED) and self:peek(r, pool).unique == item.unique then
        return res -- an append to an item on flash
    end
    return not (has(res, EXISTS) or missing(res) or self:isNoNumber(r, pool, item, res)) and res or nil
end

-- isNoNumber reports whether a command has found a claim or a fence, which is no number: memcached returns that error before it compares CAS
-- uniques.
function Route:isNoNumber(r, pool, item, res)
    return r:command() == mcp.CMD_MA and res ~= BUSY and not res:ok() and self:peek(r, pool).unique ~= item.unique
end

-- fail runs a command that does not create an item, for a missing key. It returns nil if the key has an item now.
function Route:fail(r, pool)
    if r:command() == mcp.CMD_MG then
        return self:miss(r)
    end
    local without, with = mode(r) == "" and "C" or "CI", " C" .. NEVER
    if mode(r) == "R" and not r:has_flag("C") then
        without, with = without .. "M", with .. " MA" -- with C, the response would be NF. An append returns NS
    end
    local res = self:run(meta(r, without, with), pool)
    return not has(res, EXISTS) and not self:isNoNumber(r, pool, {}, res) and res or nil
end

-- store stores the item of a missing key, in the place of a claim or of a fence if there is one. It returns nil if it is not there.
function Route:store(r, pool, number)
    local condition = number and " C" .. number or " ME"
    if r:command() == mcp.CMD_MA then
        return self:storeNumber(r, pool, condition)
    end
    local ttl = r:has_flag("N") and mode(r) ~= "S" and mode(r) ~= "E" and " T" .. token(r, "N") or ""
    local res = self:run(meta(r, "IMNC" .. (ttl == "" and "" or "T"), ttl .. condition), pool)
    return (done(res) or not res:ok()) and res or nil
end

-- storeNumber is store for ma with N. The response is that of a server to ma.
function Route:storeNumber(r, pool, condition)
    local initial, number = token(r, "J") or "0", token(r, "E") or fresh()
    local res = self:about(r, pool, "ms", " T" .. (token(r, "N") or "0") .. " E" .. number .. condition, initial .. "\r\n")
    if not done(res) then
        return not res:ok() and res or nil
    end
    res = self:run(meta(r, "NJDMCT", " D0 C" .. number), pool)
    if res:ok() and not done(res) then -- another command has changed the item since
        return r:has_flag("v") and "VA " .. #initial .. "\r\n" .. initial .. "\r\n" or "HD\r\n"
    end
    return res
end

-- vivify runs mg with N for a missing key. It creates an item that no command with a condition can create, and returns nil if another command
-- was faster.
function Route:vivify(r, pool)
    local res = self:run(r, pool)
    if not res:ok() then
        return res
    end
    return (" " .. (res:line() or "") .. " "):find(" W ", 1, true) and res or nil
end

-- vivifyOnPrevious is vivify while other proxies may create the item on C: a lock there prevents that.
function Route:vivifyOnPrevious(r)
    local lock = unique(r, "lock")
    local locked = self:fence(r, lock)
    if not done(locked) then
        return not locked:ok() and locked or nil
    end
    local res, item
    repeat
        res = self:vivify(r, "previous")
        item = res or self:peek(r, "previous")
    until res or item.state ~= "absent" and (item.state ~= "claim" or not self:wait(item))
    self:remove(r, "current", lock)
    return res
end

-- create creates the item of a missing key. It returns nil if another proxy was faster.
function Route:create(r)
    local phase, vivifies = self.phase, r:command() == mcp.CMD_MG
    if phase == "announcing" or phase == "closing" then
        return (vivifies and self.vivify or self.store)(self, r, phase == "closing" and "current" or "previous")
    elseif phase == "preparing" and vivifies then
        return self:vivifyOnPrevious(r)
    end
    local claim = unique(r, "claim")
    local res = self:about(r, "previous", "ms", " ME E" .. claim .. " F" .. FLAGS .. " T" .. LEASE, "\r\n")
    if not done(res) then
        return not res:ok() and res or nil
    elseif phase == "preparing" then
        local item = self:peek(r, "current")
        res = item.state == "absent" and self:store(r, "previous", claim) or item.res
    elseif vivifies then
        res = self:vivify(r, "current")
    else
        res = self:storeOnCurrent(r, claim)
    end
    local stored = type(res) == "string" or res and res:ok()
    if phase == "warming" or not stored then -- otherwise the item is in its place
        self:remove(r, "previous", claim)
    end
    return res
end

-- storeOnCurrent stores an item on C under the claim.
function Route:storeOnCurrent(r, claim)
    local res = self:fence(r, claim)
    if done(res) and self:peek(r, "previous").unique == tostring(claim) then
        return self:store(r, "current", claim)
    end
    self:remove(r, "current", claim)
    return not res:ok() and res or nil
end

-- decided runs a command for a key that moves. It also returns whether P has an item that can move.
function Route:decided(r)
    if reads(r) then
        return self:read(r)
    elseif CLASSIC[r:command()] then
        local res, here = self:decided(inMeta(r))
        return self:classic(r, res), here
    end
    local flags = touches(r) and " v" or nil
    while true do
        local item, pool = self:previous(r, flags), "previous"
        if item.state == "absent" and self.phase ~= "announcing" then
            item, pool = self:look(r, flags), "current"
        end
        local res
        if item.state == "down" then
            return item.res
        elseif item.state ~= "absent" then
            res = self:change(r, pool, item)
        elseif creates(r) then
            res = self:create(r)
        else
            res = self:fail(r, pool)
        end
        if res then
            return res, item.state == "plain" and pool == "previous" and r:command() ~= mcp.CMD_MD
        end
    end
end

-- serve runs a command.
function Route:serve(r)
    if self.phase == "warming" and copies(r) and r:key() == COPY then
        return "SERVER_ERROR warming\r\n"
    end
    local used = self.used
    used.kept, used.previous, used.current, self.awaited, self.original = 0, 0, 0, nil, r
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
    local empty = rctx:response_new()
    local route = setmetatable({ rctx = rctx, null = arg.null, empty = empty, phase = arg.phase, pools = arg.pools, used = {} }, Route)
    local steady = arg.phase == nil and arg.pools.current[1]
    return function(r)
        local res
        if steady then
            res = rctx:enqueue_and_wait(r, steady)
        else
            res = route:serve(r)
        end
        if res == BUSY then
            return BUSY.raw_string()
        elseif type(res) ~= "string" and not responded(res) and (GETS[r:command()] or r:command() == mcp.CMD_MG) then
            return copies(r) and BUSY.raw_string() or route:miss(r)
        end
        return res
    end
end

function route_servers_start(a, ctx, fgen)
    local arg = { null = mcp.res_mutator_new({ t = "resnull", idx = 1 }), phase = a.phase, pools = {} }
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
