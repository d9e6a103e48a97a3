-- A model of memcached for one key: what 1.6.45 does with the commands that clients and library.lua send.
local model = { now = 0 } -- now is the time in milliseconds

local function seconds() return model.now // 1000 end

-- A server is a value: serve returns the server after a request. Equal servers are the same table, and each has the responses and
-- the next servers that are known.
local all = {}

local function identified(unique, item)
    local state = item and table.concat({ item.value, item.flags, item.unique, tostring(item.expires), tostring(item.stale),
        tostring(item.won) }, ",") or "-"
    local key = state .. " " .. unique
    all[key] = all[key] or { unique = unique, item = item, state = state, served = {} }
    return all[key]
end

-- new returns a server with an item. Each counts CAS uniques from another number, as servers that have run for a while do.
function model.new(unique, item)
    return identified(unique, item)
end

-- without returns a server without its item.
function model.without(server)
    return identified(server.unique)
end

-- restarted returns a server without its item that counts CAS uniques from 0 again.
function model.restarted()
    return identified(0)
end

-- gone is a server that does not respond.
model.gone = { unique = 0, state = "gone", served = {} }

-- unexpired returns a server without its item if the TTL of the item has ended.
function model.unexpired(server)
    local item = server.item
    return item and item.expires and item.expires <= seconds() and model.without(server) or server
end

local function expires(ttl)
    ttl = math.tointeger(tonumber(ttl or "0"))
    if ttl == 0 then
        return nil
    end
    return ttl > 60 * 60 * 24 * 30 and ttl or seconds() + ttl
end

local function put(server, item, unique)
    if item and not unique then
        server.unique = server.unique + 1
        unique = tostring(server.unique)
    end
    if item then
        item.unique = unique
    end
    server.item = item
end

-- returned has the flags of a meta response.
local function returned(r, item)
    local text = ""
    for _, flag in ipairs(r:flags()) do
        local value = ({ k = r:key(), s = #item.value, f = item.flags, c = item.unique,
            t = item.expires and item.expires - seconds() or -1 })[flag]
        if value then
            text = text .. " " .. flag .. value
        elseif flag:find("^O") then
            text = text .. " " .. flag
        end
    end
    return text
end

local function changed(item, value)
    return { value = value, flags = item.flags, expires = item.expires }
end

local serve = {}

function serve.me(_, r, item)
    if not item then
        return "EN"
    end
    return ("ME %s exp=%d la=0 cas=%s fetch=yes cls=1 size=70"):format(r:key(), item.expires and item.expires - seconds() or -1, item.unique)
end

function serve.mg(server, r, item)
    local vivify = r:flag("N")
    local created = not item
    if created then
        if not vivify then
            return "EN"
        end
        item = { value = "", flags = "0", expires = expires(vivify) }
        put(server, item)
    end
    if r:flag("T") then
        item.expires = expires(r:flag("T"))
    end
    local line = returned(r, item) .. (item.won and " Z" or "") .. (item.stale and " X" or "")
    if not item.won and (item.stale or created) then
        item.won, line = true, line .. " W"
    end
    if r:flag("v") then
        return ("VA %d%s\r\n%s"):format(#item.value, line, item.value)
    end
    return "HD" .. line
end

function serve.md(server, r, item)
    local unique = r:flag("C")
    if not item then
        return "NF"
    elseif unique and unique ~= item.unique then
        return "EX"
    elseif r:flag("I") then
        put(server, item, r:flag("E"))
        item.stale, item.won = true, nil
        return "HD"
    elseif r:flag("x") then
        put(server, { value = "", flags = "0" }, r:flag("E") or item.unique)
        return "HD"
    end
    put(server, nil)
    return "HD"
end

function serve.ms(server, r, item)
    local mode, unique = r:flag("M") or "S", r:flag("C")
    local new = { value = r.body, flags = r:flag("F") or "0", expires = expires(r:flag("T")) }
    if mode == "A" or mode == "P" then
        if not item and not r:flag("N") then
            return "NS"
        elseif item and unique and unique ~= item.unique then
            return "EX"
        end
        new = item and changed(item, mode == "A" and item.value .. r.body or r.body .. item.value) or new
    elseif mode == "E" then
        if item then
            return "NS"
        end
    elseif unique then
        if not item then
            return "NF"
        elseif unique ~= item.unique then
            return "EX"
        end
    elseif mode == "R" and not item then
        return "NS"
    end
    put(server, new, r:flag("E"))
    return "HD"
end

-- calculate increments or decrements an item. memcached writes into the item if the number does not get longer, so a stale item
-- stays stale, and otherwise creates a new one (do_add_delta in memcached.c). It fills a number that gets shorter with spaces. This
-- model does not.
local function calculate(server, item, verb, delta)
    if not item.value:find("^%d+$") then
        return nil, "CLIENT_ERROR cannot increment or decrement non-numeric value"
    end
    local sign = verb == "decr" and -1 or 1
    local number = tostring(math.max(tonumber(item.value) + sign * tonumber(delta), 0))
    local after = changed(item, number)
    if #number <= #item.value then
        after.stale, after.won = item.stale, item.won
    end
    put(server, after)
    return number
end

function serve.ma(server, r, item)
    local unique = r:flag("C")
    if not item and r:flag("N") then
        item = { value = r:flag("J") or "0", flags = "0", expires = expires(r:flag("N")) }
        put(server, item, r:flag("E"))
        return r:flag("v") and ("VA %d\r\n%s"):format(#item.value, item.value) or "HD"
    elseif not item then
        return "NF"
    elseif item.value ~= "" and unique and unique ~= item.unique then -- an empty item is no number, whatever its CAS unique is
        return "EX"
    end
    local number, failure = calculate(server, item, r:flag("M") == "D" and "decr" or "incr", r:flag("D") or "1")
    return failure or r:flag("v") and ("VA %d\r\n%s"):format(#number, number) or "HD"
end

local function retrieve(server, r, item)
    if not item then
        return "END"
    end
    if r.verb:find("^gat") then
        item.expires = expires(r.words[2])
    end
    local unique = r.verb:find("s$") and " " .. item.unique or ""
    return ("VALUE %s %s %d%s\r\n%s\r\nEND"):format(r:key(), item.flags, #item.value, unique, item.value)
end
serve.get, serve.gets, serve.gat, serve.gats = retrieve, retrieve, retrieve, retrieve

function serve.touch(server, r, item)
    if not item then
        return "NOT_FOUND"
    end
    item.expires = expires(r.words[3])
    return "TOUCHED"
end

function serve.delete(server, _, item)
    put(server, nil)
    return item and "DELETED" or "NOT_FOUND"
end

function serve.incr(server, r, item)
    if not item then
        return "NOT_FOUND"
    end
    local number, failure = calculate(server, item, r.verb, r.words[3])
    return number or failure
end
serve.decr = serve.incr

local function store(server, r, item)
    local verb = r.verb
    local new = { value = r.body, flags = r.words[3], expires = expires(r.words[4]) }
    if verb == "cas" and not item then
        return "NOT_FOUND"
    elseif verb == "cas" and item.unique ~= r.words[6] then
        return "EXISTS"
    elseif verb == "add" and item or (verb == "replace" or verb == "append" or verb == "prepend") and not item then
        return "NOT_STORED"
    end
    if verb == "append" or verb == "prepend" then
        new = changed(item, verb == "append" and item.value .. r.body or r.body .. item.value)
    end
    put(server, new)
    return "STORED"
end
serve.set, serve.add, serve.replace, serve.append, serve.prepend, serve.cas = store, store, store, store, store, store

-- serve executes a request. It returns the response, false without one, and the server afterwards.
function model.serve(server, r)
    if server == model.gone then
        return false, server
    end
    server = model.unexpired(server)
    local served = server.served[model.now] or {}
    server.served[model.now] = served
    if not served[r] then
        local item
        for key, value in pairs(server.item or {}) do
            item = item or {}
            item[key] = value
        end
        local after = { unique = server.unique, item = item }
        local text = assert(serve[r.verb], r.verb)(after, r, item) .. "\r\n"
        served[r] = { text, identified(after.unique, after.item) }
    end
    return served[r][1], served[r][2]
end

return model
