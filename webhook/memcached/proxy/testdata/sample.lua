-- lua5.4 sample.lua LIBRARY DIRECTORY COUNT SEED
-- Prints schedules of the exploration as lines of JSON, with what the model says about them: COUNT random ones, and before them some in
-- which a proxy takes over. Other schedules in which time passes, or in which a request is not executed or late, are left out.
local random, seed = math.random, math.randomseed
DIRECTORY = arg[2]
local cases = dofile(DIRECTORY .. "cases.lua")
local schedules, script = cases.schedules, cases.script
cases.load(arg[1])
seed(math.tointeger(tonumber(arg[4])))

local COMMANDS <const> = { "get", "gets", "gat", "gats", "touch", "set", "add", "replace", "append", "prepend", "incr", "cas", "delete", "mg",
    "mg with c", "mg with T", "mg with N", "mg with N and T", "ms", "ms with C", "ms in mode E", "ms in mode A", "ms in mode R", "ms with q", "ma",
    "ma with N", "md", "md with q", "md with C", "md with I", "set noreply", "append noreply", "delete noreply" }
local STORES <const> = { set = true, add = true, replace = true, append = true, prepend = true, cas = true, ms = true }

local function quoted(text) return '"' .. text:gsub("\r\n", "\\r\\n") .. '"' end

local function list(all) return "[" .. table.concat(all, ",") .. "]" end

local function items(from, to)
    local all = {}
    for i, item in ipairs({ from or false, to or false }) do
        all[i] = item and ('{"value":"%s","flags":"%s","cas":"%s","ttl":%d,"stale":%s}'):format(item.value, item.flags, item.unique,
            item.expires and item.expires - schedules.START // 1000 or -1, tostring(item.stale == true)) or "null"
    end
    return list(all)
end

-- number returns the number of a client. The reads at the end are the commands of clients 8 and more.
local function number(case, name)
    local n = math.tointeger(tonumber(name))
    return n > 7 and n - 7 + #case.clients or n
end

-- order returns the client of each request. A negative number is a client whose proxy ends before the response.
local function order(case, run)
    local all = {}
    for _, entry in ipairs(schedules.trace(run)) do
        if entry.request and not entry.late then
            all[#all + 1] = number(case, entry.client)
        elseif entry.how and entry.how ~= "late" and all[#all] == number(case, entry.client) then
            all[#all] = -all[#all] -- also if the proxy ends before its next request
        else
            return nil
        end
    end
    return all
end

local function show(name, direction, case, run, verdict)
    local clients = {}
    for _, operation in ipairs(run.operations) do
        local n = number(case, operation.client)
        clients[n] = clients[n] or { phase = operation.phase, commands = {}, responses = {} }
        local r = schedules.history.request(operation.name, operation.value, "{unique}")
        table.insert(clients[n].commands, quoted(r:raw_line() .. "\r\n" .. (STORES[r.verb] and r:raw_value() or "")))
        if operation.response then
            table.insert(clients[n].responses, quoted(operation.response))
        end
    end
    for i, client in ipairs(clients) do
        clients[i] = ('{"phase":"%s","commands":%s,"responses":%s}'):format(client.phase, list(client.commands), list(client.responses))
    end
    print(('{"name":"%s","verdict":"%s","grow":%s,"clients":%s,"order":%s,"before":%s,"after":%s}'):format(name, verdict, direction == "growth",
        list(clients), list(order(case, run)), items(case.from, case.to), items(run.servers.from.item, run.servers.to.item)))
end

-- known shows the schedules of clients that have an order, and in which a proxy takes over from one that has ended.
local function known(name, direction, clients, pattern)
    local case = cases.new(direction, "from", clients, "stays")
    case.fault, case.exact = "crash", true
    schedules.each(case, function(run, verdict)
        local requests = order(case, run)
        if requests and (table.concat(requests, " ") .. " "):find(pattern) then
            show(name, direction, case, run, verdict)
        end
    end)
end

-- The owner ends, and then the other client alone continues.
for _, other in ipairs({ script("preparing", "set"), script("warming", "gets"), script("closing", "append") }) do
    known("lease", "growth", { script("warming", "get"), other }, "^1 1 %-1 [2 ]*3 ")
end

-- some returns random commands.
local function some(count)
    local all = {}
    for i = 1, count do
        all[i] = COMMANDS[random(#COMMANDS)]
    end
    return table.unpack(all)
end

local left = tonumber(arg[3])
while left > 0 do
    local pair = cases.PAIRS[random(#cases.PAIRS)]
    local clients = { script(pair[random(2)], some(1)), script(pair[random(2)], some(random(2))) }
    if random(4) == 1 then
        clients[3] = script(pair[random(2)], some(1))
    end
    local direction = ({ "growth", "shrink" })[random(2)]
    local case = cases.new(direction, pair.places[random(0, #pair.places)] or "from", clients, "stays") -- there, although the item can be lost then
    case.fault = random(8) == 1 and "crash" or nil
    local run = schedules.one(case, random)
    if order(case, run) and run.now == schedules.START then
        show("random", direction, case, run, "")
        left = left - 1
    end
end
