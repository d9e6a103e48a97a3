-- Routes of the proxy, for memcached's routelib:
--   memcached -o proxy_config=routelib:library.lua,proxy_arg=config.lua
-- The configuration calls servers{to = {...}}, or during a change of size
--   servers{from = {...}, to = {...}, phase = "preparing" | "warming" | "closing", marks_end = 1700000000}
-- with the host:port of the servers before the change (from) and after it (to).
--
-- The shorter of both is the beginning of the longer one, or they have no server in common and every key moves. A jump hash
-- distributes the keys, so a key either keeps its server, or it moves from a previous server P to a current server C, and only
-- the longer one has both P and C. Proxies in two phases that follow each other serve at the same time, so P alone says who
-- decides for a key that moves. The CAS unique of its item on P is the state of the key:
--
--   state    item on P                    meaning
--   absent   none                         The key is missing. What C has is invisible.
--   plain    any other CAS unique         P decides. What C has is invisible.
--   owned    a CAS unique >= OWNED        P decides for reads, and one proxy copies the item to C. Changes wait for it.
--   moved    empty, CAS unique MOVED      C decides. The item is a mark: no command changes it until it expires at marks_end.
--
-- preparing: commands for a key that is not moved run on P. Each change is conditional on the CAS unique, or on a missing item.
-- warming:   the same, and afterwards the proxy moves the item: plain -> owned -> copy to C -> moved.
-- closing:   C decides. An item that is still on P is given up, because proxies after the change do not know P.

-- TIMEOUT limits in seconds how long a connection, and a response, may take. It is more than a second, because the kernel repeats a lost
-- packet of a new connection after one, and a thread that waits for a lost packet of the DNS reads no responses for one.
local TIMEOUT <const> = 1.4
-- memcached reads a larger TTL as a Unix time.
local MAX_RELATIVE_TTL <const> = 60 * 60 * 24 * 30
-- Another proxy takes an item from an owner that has not finished after LEASE seconds. Longer than all timeouts of a request.
local LEASE <const> = 3
-- A copy replaces an empty item that expires after FENCE seconds. Shorter than LEASE: later, the owner may be another one.
local FENCE <const> = 2
-- Without marks_end, marks expire after MARK seconds: the previous servers are removed before.
local MARK <const> = 60 * 60 * 24 * 30
-- HANDLES is how many requests a command sends at most to each server: enough for pauses of LEASE in total, and then a move,
-- which takes up to MOVE requests.
local HANDLES <const> = { kept = 1, previous = 20, current = 8 }
local MOVE <const> = 8
-- A request to a server takes more than LOCAL microseconds, on loopback at least 9. One for a server that is marked as down
-- usually fails within 1.
local LOCAL <const> = 5
-- Servers count CAS uniques from 1. A unique of an owner has the time, because a lease ends, and a random part.
local OWNED <const> = 1 << 62
local MOVED <const> = 0x6d6f7665645f746f -- "moved_to"
-- Client flags of a mark. The response to get has them, but not the CAS unique.
local FLAGS <const> = 0x6d6f7665 -- "move"
-- The opaque of the Job's reads. They return SERVER_ERROR until it is certain that the item has moved, is missing, or cannot move.
local COPY <const> = "memcached-operator-copy"
-- No item has this CAS unique.
local NEVER <const> = OWNED - 1

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
    routes{ default = route_servers{ child_kept = "kept", child_previous = "previous", child_current = "current",
        phase = change.phase, marks_end = change.marks_end } }
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

local function set(...)
    local all = {}
    for _, command in ipairs({ ... }) do
        all[command] = true
    end
    return all
end

local GETS <const> = set(mcp.CMD_GET, mcp.CMD_GETS, mcp.CMD_GAT, mcp.CMD_GATS)
local META <const> = set(mcp.CMD_MG, mcp.CMD_MS, mcp.CMD_MD, mcp.CMD_MA, mcp.CMD_ME)
local TOUCHES <const> = set(mcp.CMD_TOUCH, mcp.CMD_GAT, mcp.CMD_GATS)
local NUMBERS <const> = set(mcp.CMD_INCR, mcp.CMD_DECR, mcp.CMD_MA)
local REMOVES <const> = set(mcp.CMD_DELETE, mcp.CMD_MD)
local READS <const> = set(mcp.CMD_GET, mcp.CMD_GETS, mcp.CMD_MG, mcp.CMD_ME)

-- copies reports whether the Job that copies items has sent a command.
local function copies(r)
    return r:command() == mcp.CMD_MG and select(2, r:flag_token("O")) == COPY
end

-- touches reports whether a command only changes the TTL of an item. memcached has no condition for that.
local function touches(r)
    local command = r:command()
    return TOUCHES[command] or command == mcp.CMD_MG and r:has_flag("T")
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

-- BUSY is the response to a command that finds other commands at the same key again and again.
local BUSY <const> = { ok = function() return false end, raw_string = function() return "SERVER_ERROR busy\r\n" end }

-- MISSES has the responses to classic commands for a missing item, if they are not NOT_FOUND.
local MISSES <const> = {
    [mcp.CMD_GET] = "END", [mcp.CMD_GETS] = "END", [mcp.CMD_GAT] = "END", [mcp.CMD_GATS] = "END",
    [mcp.CMD_APPEND] = "NOT_STORED", [mcp.CMD_PREPEND] = "NOT_STORED", [mcp.CMD_REPLACE] = "NOT_STORED",
}

local function now()
    return mcp.time_real_millis() // 1000
end

-- owner returns a CAS unique of an owner. The last bit says that the key is in base64, which memcached forgets while an item has an owner.
local function owner(r)
    return OWNED | mcp.time_real_millis() << 20 | math.random(0, 0x7ffff) << 1 | (base64(r) == "" and 0 or 1)
end

-- fresh returns a CAS unique of a plain item.
local function fresh()
    return math.random(1 << 32, NEVER - 1)
end

-- state returns the state of a key for a CAS unique, and for an owned one how long ago it was set.
local function state(unique)
    local number = math.tointeger(tonumber(unique)) or 0
    if number == MOVED then
        return "moved"
    elseif number < OWNED then
        return "plain"
    end
    return "owned", (mcp.time_real_millis() - (number - OWNED >> 20)) / 1000
end

-- expiry returns the flag for a TTL as a server returns it: 0 for less than a second.
local function expiry(ttl)
    if ttl == "-1" then
        return ""
    elseif ttl == "0" then
        return " T1"
    end
    return " T" .. (tonumber(ttl) > MAX_RELATIVE_TTL and now() + tonumber(ttl) or ttl)
end

-- CLASSIC has the meta commands for classic commands, which have no conditions, and the response to HD.
local CLASSIC <const> = {
    [mcp.CMD_SET] = { "ms", "", "STORED" }, [mcp.CMD_ADD] = { "ms", "", "STORED" }, [mcp.CMD_REPLACE] = { "ms", "", "STORED" },
    [mcp.CMD_CAS] = { "ms", "", "STORED" }, [mcp.CMD_APPEND] = { "ms", " MA", "STORED" },
    [mcp.CMD_PREPEND] = { "ms", " MP", "STORED" }, [mcp.CMD_INCR] = { "ma", " MI v" }, [mcp.CMD_DECR] = { "ma", " MD v" },
    [mcp.CMD_DELETE] = { "md", "", "DELETED" },
}

local function route_servers_f(rctx, arg)
    local null, empty = arg.null, rctx:response_new()
    local used = {} -- requests of this command for each pool. A new table for each command would cost CPU time.

    -- run sends a request to a pool. A handle serves one request of a command, so each request takes the next handle.
    local function run(r, pool)
        used[pool] = used[pool] + 1
        local handle = arg[pool][used[pool]]
        return handle and rctx:enqueue_and_wait(r, handle) or BUSY
    end

    -- about sends a meta command for the key of a request.
    local function about(r, pool, command, flags, value)
        local size = value and " " .. #value - 2 or ""
        return run(mcp.request(command .. " " .. r:key() .. size .. base64(r) .. flags .. "\r\n", value), pool)
    end

    -- text returns a response as text. The proxy drops a response that the client does not want only if it is no text.
    local function text(r, line)
        if r:raw_line():lower():find(" noreply$") then
            null(empty, r)
            return empty
        end
        return line .. "\r\n"
    end

    -- miss returns the response to a command for a missing item, except for meta commands that change it.
    local function miss(r)
        local command = r:command()
        if not META[command] then
            return text(r, MISSES[command] or "NOT_FOUND")
        elseif r:has_flag("q") then
            null(empty, r)
            return empty
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

    -- peek returns the item on P. Without its value it has no side effect: mg would take the W of a stale item, and read flash.
    local function peek(r, value)
        local res = about(r, "previous", value and "mg" or "me", value and " f t c v" or " v") -- me with b needs one more word
        if missing(res) then
            return { state = "absent" }
        elseif not res:ok() then
            return { state = "down", res = res }
        end
        local item = {}
        if value then
            local rest
            item.flags, item.ttl, item.unique, rest = res:line():match("^f(%d+) t(%-?%d+) c(%d+)(.*)$")
            item.value = res:raw_string():sub(-res:vlen() - 2)
            item.stale = rest:find("[WXZ]") ~= nil
            item.won = rest:find("W") ~= nil
        else
            item.unique = res:raw_string():match(" exp=%-?%d+ la=%d+ cas=(%d+)")
        end
        item.state, item.age = state(item.unique)
        return item
    end

    -- unwin gives the W of a stale item, which a peek has taken, to the next client.
    local function unwin(r, item)
        about(r, "previous", "md", " I C" .. item.unique)
    end

    -- renew changes only the CAS unique of an item on P: an append of nothing keeps everything else, also what other proxies change at
    -- the same time. memcached does not append to an item on flash, so that is stored again. It returns whether the item had the unique.
    local function renew(r, unique, condition, append)
        local res = append and about(r, "previous", "ms", " MA" .. condition, "\r\n")
        if not append or has(res, NOT_STORED) then
            local item = peek(r, true)
            if item.unique ~= tostring(unique) then
                return false
            end
            res = about(r, "previous", "ms", condition .. " F" .. item.flags .. expiry(item.ttl), item.value)
        end
        return done(res)
    end

    -- own makes this proxy the owner of an item on P.
    local function own(r, unique)
        local new = owner(r)
        return renew(r, unique, " C" .. unique .. " E" .. new, true) and new or nil
    end

    -- release ends the ownership. The item gets the CAS unique that it had before, or a new one. An append made memcached forget that
    -- the key is in base64.
    local function release(r, owned, unique)
        renew(r, owned, " C" .. owned .. (unique and " E" .. unique or ""), base64(r) == "")
    end

    -- recover takes an item from an owner that has not finished, with what that owner may have stored on C. It returns a
    -- response if C does not respond.
    local function recover(r, unique)
        local owned = own(r, unique)
        if not owned then
            return nil
        end
        local res = about(r, "current", "md", "")
        if not res:ok() then
            return res
        end
        release(r, owned)
    end

    -- mark makes C decide, if the item on P fulfils a condition.
    local function mark(r, condition)
        local ends = arg.marks_end > 0 and arg.marks_end or now() + MARK
        return done(about(r, "previous", "ms", condition .. " E" .. MOVED .. " F" .. FLAGS .. " T" .. ends, "\r\n"))
    end

    -- copy stores an item of P on C. It returns the response of C, and whether it is not known what C did.
    local function copy(r, item, owned, unique)
        local fence = " ME E" .. owned .. " T" .. FENCE
        local res = about(r, "current", "ms", fence, "\r\n")
        if has(res, NOT_STORED) then -- what C has is invisible, for example from an earlier change of size
            about(r, "current", "md", "")
            res = about(r, "current", "ms", fence, "\r\n")
        end
        if not done(res) then
            return res, false
        end
        res = about(r, "current", "ms", " C" .. owned .. " E" .. unique .. " F" .. item.flags .. expiry(item.ttl), item.value)
        return res, not responded(res)
    end

    -- moves reports whether this command may move the item of its key.
    local function moves()
        local ending = arg.marks_end > 0 and now() + LEASE >= arg.marks_end
        return arg.phase == "warming" and not ending and used.previous + MOVE <= #arg.previous
    end

    -- move moves an item to C, with a CAS unique. The item is plain, or this proxy owns it. If a step fails, P still decides. It returns
    -- true if the item has moved or cannot move.
    local function move(r, owned, unique)
        local item = peek(r, true)
        if item.stale then -- the copy would be a fresh item
            if item.won or owned then
                unwin(r, item)
            end
            return true
        elseif owned and item.unique ~= tostring(owned) then
            return false
        elseif not owned then
            if item.state == "owned" and item.age >= LEASE and copies(r) then
                recover(r, item.unique) -- no client may ever change this item, so the Job takes it from the owner
            end
            owned, unique = item.state == "plain" and own(r, item.unique), item.unique
            if not owned then
                return false
            end
            local res = about(r, "previous", "mg", " t") -- another proxy may have changed the TTL since the peek
            item.ttl = res:hit() and res:line():match("^t(%-?%d+)")
            if not item.ttl then
                return false
            end
        end
        local res, unknown = copy(r, item, owned, unique)
        if done(res) then
            return mark(r, " C" .. owned)
        elseif not unknown then -- a copy that may still arrive must not meet a plain item: the lease ends first
            release(r, owned, unique ~= owned and unique)
        end
        return not res:ok() and responded(res) -- C refuses the item, which may be too large
    end

    -- pause waits for an owner or for another change, each time longer.
    local function pause(try)
        rctx:sleep(0.001 * 3 ^ try)
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

    -- marked reports whether an empty item is a mark.
    local function marked(r, res)
        if r:command() == mcp.CMD_GET then
            return res:raw_string():match("^VALUE %S+ (%d+)") == tostring(FLAGS)
        end
        -- mg with N has created an item that it wins, unless R lets it win a mark
        local created = r:command() == mcp.CMD_MG and r:has_flag("N") and not r:has_flag("R")
            and (" " .. (res:line() or "") .. " "):find(" W ", 1, true)
        return not created and peek(r).state == "moved"
    end

    -- read runs a read. It also returns the item if P has it. An empty item can be a mark.
    local function read(r)
        for try = 0, math.huge do
            local res = run(r, "previous")
            if not res:ok() or missing(res) then
                return res
            end
            local unique, seen, age = shown(r, res), "plain", 0
            if unique then
                seen, age = state(unique)
            elseif res:vlen() == 0 and marked(r, res) then
                seen = "moved"
            end
            if seen == "moved" then
                return run(r, "current")
            elseif seen == "plain" or age >= LEASE then
                return res, {}
            end
            pause(try) -- the item soon has the CAS unique again that it had before
        end
    end

    -- touch runs a command that changes the TTL of an item on P. It stores the item again, with the same CAS unique, because
    -- memcached has no conditional touch. It returns nil if another command has changed the item.
    local function touch(r, item)
        local command, all = r:command(), words(r)
        if item.stale then -- it does not move, so this needs no condition
            if item.won then
                unwin(r, item)
            end
            return run(r, "previous")
        end
        local ttl = all[command == mcp.CMD_TOUCH and 3 or 2]
        local reading
        if command == mcp.CMD_MG then
            ttl = select(2, r:flag_token("T")) or "0"
            reading = meta(r, "T", "")
        elseif command ~= mcp.CMD_TOUCH then
            reading = mcp.request((command == mcp.CMD_GATS and "gets " or "get ") .. r:key() .. "\r\n")
        end
        local past = ttl:find("^-") or tonumber(ttl) and tonumber(ttl) > MAX_RELATIVE_TTL and tonumber(ttl) <= now()
        local former = past or r:raw_line():find(" t .*%f[%S]T") -- servers run the flags of mg in their order
        local before = former and reading and read(reading)
        local flags = " C" .. item.unique .. " E" .. item.unique .. " F" .. item.flags .. " T" .. ttl
        local res = about(r, "previous", "ms", flags, item.value)
        if not res:ok() then
            return res
        elseif not done(res) then
            return nil
        end
        return before or reading and (read(reading)) or text(r, "TOUCHED")
    end

    -- vivify runs mg with N and T for a missing item. T without N would also change the TTL of a mark.
    local function vivify(r)
        local created, ttl = r:flag_token("N"), select(2, r:flag_token("T"))
        local last = r:raw_line():find(" N.* T") -- the TTL of the new item
        return created and run(last and ttl and meta(r, "NT", " N" .. ttl) or meta(r, "T", ""), "previous")
    end

    -- changeClassic runs a classic command on P if the item is still the one that was seen. It returns nil if it is not.
    local function changeClassic(r, item, owned)
        local command, all, absent = r:command(), words(r), item.state == "absent"
        if absent and command ~= mcp.CMD_SET and command ~= mcp.CMD_ADD then
            return miss(r)
        elseif not absent and command == mcp.CMD_ADD then
            return text(r, "NOT_STORED")
        elseif command == mcp.CMD_CAS and all[6] ~= item.unique then
            return text(r, "EXISTS")
        end
        local verb, flags, line = table.unpack(CLASSIC[command])
        if verb == "ma" then
            flags = flags .. " D" .. all[3]
        elseif verb == "ms" and flags == "" then
            flags = " F" .. all[3] .. " T" .. all[4]
        end
        flags = flags .. (absent and " ME" or " C" .. item.unique)
        owned = verb == "ms" and owned -- ma does not always set the CAS unique of E
        if owned then
            flags = flags .. " E" .. owned
        end
        local res = about(r, "previous", verb, flags, verb == "ms" and r:raw_value() or nil)
        if has(res, NOT_STORED) and not absent then
            return miss(r) -- an append to an item on flash
        elseif res:ok() and not done(res) then
            return nil
        end
        item.owned, item.final = done(res) and owned, fresh()
        return res:ok() and text(r, line or res:raw_string():match("\r\n(%d+)")) or res
    end

    -- changeMeta is changeClassic for meta commands.
    local function changeMeta(r, item, owned)
        local stores, absent = r:command() == mcp.CMD_MS, item.state == "absent"
        local creates = absent and r:command() == mcp.CMD_MA and r:has_flag("N")
        local mode, unique = select(2, r:flag_token("M")) or "S", select(2, r:flag_token("C"))
        local explicit = select(2, r:flag_token("E"))
        local without = stores and "I" or " " -- I compares CAS uniques by their order: it would replace a mark
        local with = ""
        if owned and (stores or creates) then
            item.final = explicit or r:has_flag("c") and owned or fresh()
            without, with = without .. "E", " E" .. owned
        end
        -- respond returns the response of P, with the CAS unique that the item gets at the end.
        local function respond(res)
            item.owned = item.final and done(res) and owned
            if item.owned and explicit and r:has_flag("c") and not r:has_flag("q") then
                return (res:raw_string():gsub(" c" .. owned, " c" .. explicit, 1))
            end
            return res
        end
        if stores and (mode == "E" or absent and mode == "S" and not unique) then
            local res = run(meta(r, without .. "M", with .. " ME"), "previous")
            return not (absent and missing(res)) and respond(res) or nil
        elseif unique and not absent and unique ~= item.unique then
            return run(meta(r, without, ""), "previous")
        elseif stores and absent and mode == "R" and not unique then -- with C, the response would be NF. An append returns NS.
            without, with = without .. "M", with .. " MA"
        end
        local res = run(meta(r, without .. "C", with .. " C" .. (absent and NEVER or item.unique)), "previous")
        if has(res, EXISTS) or stores and not unique and has(res, NOT_FOUND) then
            return nil
        end
        return respond(res)
    end

    -- change runs a command that may change the item. It also returns the item that was seen on P, if P has one afterwards.
    local function change(r)
        local command = r:command()
        for try = 0, math.huge do
            local item = peek(r, touches(r))
            local absent, res = item.state == "absent", nil
            if item.state == "moved" then
                return run(r, "current")
            elseif item.state == "down" then
                return item.res
            elseif item.state == "owned" and item.age < LEASE then
                pause(try)
            elseif item.state == "owned" then
                res = recover(r, item.unique)
            elseif touches(r) and absent then
                res = command == mcp.CMD_MG and vivify(r) or miss(r)
            elseif touches(r) then
                res = touch(r, item)
            else
                res = (META[command] and changeMeta or changeClassic)(r, item, moves() and owner(r))
                if NUMBERS[command] and res and res ~= BUSY and type(res) ~= "string" and not res:ok() and peek(r).state == "moved" then
                    res = nil -- a mark is no number: memcached returns that error before it compares CAS uniques
                end
            end
            if res then
                local here = not REMOVES[command] and (not absent or item.owned)
                return res, here and item
            end
        end
    end

    -- preparing and warming
    local function decidedByPrevious(r)
        local res, item = (READS[r:command()] and not touches(r) and read or change)(r)
        if item and (item.owned or moves()) and not move(r, item.owned, item.final) and copies(r) then
            return BUSY
        end
        return res
    end

    local function closing(r)
        local reads = READS[r:command()] and not (META[r:command()] and r:has_flag("N"))
        for try = 0, math.huge do
            local item = peek(r)
            local absent = item.state == "absent"
            if item.state == "moved" then
                return run(r, "current")
            elseif item.state == "down" then
                return item.res
            elseif absent and reads then
                local res = run(r, "current")
                if not res:ok() or missing(res) or res:vlen() > 0 or peek(r).state == "absent" then
                    return res
                end -- a proxy that warms up stores the item
            elseif item.state == "owned" and item.age < LEASE then
                pause(try)
            else
                -- If P and C are parts of a kept server that was down a moment ago, there is nothing to mark.
                local probe = about(r, "current", "me", "")
                if not probe:ok() then
                    return probe
                elseif mark(r, absent and " ME" or " C" .. item.unique) then
                    return run(r, "current")
                end
            end
        end
    end

    local function serve(r)
        local res = run(r, "kept")
        if responded(res) then
            return res
        elseif res:elapsed() > LOCAL and not about(r, "current", "me", " k"):ok() then
            return res -- the key does not move. Its server has failed, maybe after it executed the command
        elseif arg.phase == "closing" then
            return closing(r)
        end
        return decidedByPrevious(r)
    end

    return function(r)
        local res
        if arg.kept then
            used.kept, used.previous, used.current = 0, 0, 0
            res = serve(r)
        else
            res = rctx:enqueue_and_wait(r, arg.current[1])
        end
        if res == BUSY then
            return BUSY.raw_string()
        elseif type(res) ~= "string" and not responded(res) and (GETS[r:command()] or r:command() == mcp.CMD_MG) then
            return copies(r) and BUSY.raw_string() or miss(r)
        end
        return res
    end
end

function route_servers_start(a, ctx, fgen)
    local arg = {
        null = mcp.res_mutator_new({ t = "resnull", idx = 1 }),
        phase = a.phase,
        marks_end = a.marks_end or 0,
    }
    for _, pool in ipairs({ "kept", "previous", "current" }) do
        local child = a["child_" .. pool]
        arg[pool] = child and {}
        for i = 1, child and (a.phase and HANDLES[pool] or 1) or 0 do
            arg[pool][i] = fgen:new_handle(child)
        end
    end
    fgen:ready({ a = arg, n = ctx:label(), u = 1, f = route_servers_f })
end

register_route_handlers({ "servers" })
