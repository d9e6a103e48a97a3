-- Runs every schedule of a case: which client's request is executed next, and where a proxy ends.
--
-- A case has clients (lists of {phase, command}), the items of P and C, and reads that follow one after the other. With
-- crash, the proxy of client 1 may end after any request, or its last request may arrive at any later time.
--
-- A schedule is not continued if another one has led to the same state: the servers, what each client has seen, and which
-- operations had finished when another one began. What follows, and what the check sees, is then the same.
local proxies, history = dofile(DIRECTORY .. "proxy.lua"), dofile(DIRECTORY .. "history.lua")
local model = proxies.model
local schedules = { proxies = proxies }

local START <const> = 1700000000000
local INITIAL <const> = { value = "5", unique = "7", flags = "0" }

local function copyOf(item)
    local copy = {}
    for key, value in pairs(item or {}) do
        copy[key] = value
    end
    return item and copy
end

-- signature identifies the state of a run, with CAS uniques numbered by their first use.
local function signature(run)
    local parts = { tostring(model.now) }
    for _, name in ipairs({ "P", "C" }) do
        local item = model.item(run.servers[name])
        parts[#parts + 1] = item and table.concat({ item.value, item.flags, "c" .. item.unique, tostring(item.expires),
            tostring(item.stale), tostring(item.won) }, ",") or "-"
    end
    for _, client in ipairs(run.clients) do
        parts[#parts + 1] = table.concat(client.log, ";") .. (client.asleep and (run.changes() == client.asleep and "z" or "Z") or "")
            .. (client.late and "late" or client.over and "over" or "")
    end
    local names, count = {}, 0
    return (table.concat(parts, "|"):gsub("%f[%d]%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d+", function(unique)
        if not names[unique] then
            count = count + 1
            names[unique] = "#" .. count .. "@" .. (tonumber(unique) >> 20) -- the time of an owner
        end
        return names[unique]
    end))
end

local function start(run, client)
    local script = client.script[client.next]
    client.next = client.next + 1
    run.clock = run.clock + 1
    local operation = { name = script[2], value = client.name .. client.next - 1, known = client.known or "5", start = run.clock,
        stop = math.huge, phase = script[1], client = client.name, requests = 0 }
    client.operation, run.operations[#run.operations + 1] = operation, operation
    client.log[#client.log + 1] = "start after " .. run.finished
    local request = history.request(operation.name, operation.value, client.unique or "7")
    client.running = coroutine.create(function() return nil, run.proxies[script[1]](request) end)
end

-- continue runs a client until its next request or pause.
local function continue(run, client, response)
    local ok, first, second = coroutine.resume(client.running, response)
    assert(ok, first)
    client.request, client.server, client.asleep = nil, nil, nil
    if type(first) == "table" then
        client.request, client.server = first, second
    elseif first then
        client.asleep, client.pause = run.changes(), first
    else
        run.clock = run.clock + 1
        local operation = client.operation
        local outcome, unique = history.outcome(operation.name, second)
        operation.outcome, operation.response, operation.stop, client.running = outcome, second, run.clock, nil
        if unique then
            client.unique, client.known = unique, outcome:sub(2)
        end
        run.finished = run.finished .. client.name
        client.log[#client.log + 1] = "=" .. second
    end
end

local function execute(run, client, label)
    local text = model.serve(run.servers[client.server], client.request)
    run.trace[#run.trace + 1] = ("%s %s %s: %s -> %s %s"):format(client.name, client.operation.phase, client.operation.name,
        client.request:raw_line(), client.server, label or text:gsub("\r\n", " "))
    return text
end

local function step(run, client, how)
    if how == "arrive" then
        execute(run, client, "(late)")
        client.late, client.over = nil, true
        return
    end
    if not client.running then
        start(run, client)
        continue(run, client)
    end
    if client.asleep then
        if client.asleep == run.changes() then -- nobody else can do anything: time passes
            model.now = model.now + math.ceil(client.pause * 1000)
        end
        return continue(run, client)
    end
    if not client.running then
        return
    end
    if how == "late" then
        client.late, client.operation.crashed, client.running = true, true, nil
        return
    end
    client.operation.requests = client.operation.requests + 1
    local text = execute(run, client)
    client.log[#client.log + 1] = text
    if how == "crash" then
        client.over, client.operation.crashed, client.running = true, true, nil
        run.trace[#run.trace + 1] = client.name .. " ends"
        return
    end
    continue(run, client, text)
end

-- choices returns the steps that are possible next.
local function choices(run, case)
    local all, waiting = {}, {}
    for i, client in ipairs(run.clients) do
        if client.late then
            all[#all + 1] = { client, "arrive" }
        elseif client.asleep == run.changes() then
            waiting[#waiting + 1] = { client }
        elseif not client.over and (client.running or client.next <= #client.script) then
            all[#all + 1] = { client }
            if case.crash and i == 1 and not client.asleep then
                all[#all + 1] = { client, "crash" }
                if client.running then
                    all[#all + 1] = { client, "late" }
                end
            end
        end
    end
    local onlyLate = #all == 1 and all[1][2] == "arrive"
    if #all == 0 or onlyLate then
        table.move(waiting, 1, #waiting, #all + 1, all)
    end
    return all
end

-- finish runs commands one after the other.
local function finish(run, scripts)
    for i, script in ipairs(scripts or {}) do
        local client = { name = tostring(7 + i), script = { script }, next = 1, log = {} }
        run.clients = { client }
        repeat
            step(run, client)
        until not client.running
    end
end

-- run follows the decisions and then the first choice each time. It returns the number of choices at each step, and nothing
-- else if the state is not new.
local function runOne(case, decisions, seen)
    model.now = START
    proxies.reset()
    local servers = { P = model.new(10), C = model.new(1000) }
    for name, server in pairs(servers) do
        server.item = copyOf(case[name] == true and INITIAL or case[name])
    end
    local run = { servers = servers, proxies = case.proxies, clients = {}, operations = {}, trace = {}, clock = 0, finished = "" }
    function run.changes() return servers.P.changes + servers.C.changes end
    for i, script in ipairs(case.clients) do
        run.clients[i] = { name = tostring(i), script = script, next = 1, log = {} }
    end
    local counts = {}
    while true do
        local all = choices(run, case)
        if #all == 0 then
            break
        end
        counts[#counts + 1] = #all
        local pick = all[decisions.choose and decisions.choose(#all) or decisions[#counts] or 1]
        step(run, pick[1], pick[2])
        if #counts >= #decisions and not decisions.choose then
            local key = signature(run)
            if seen[key] then
                return counts
            end
            seen[key] = true
        end
    end
    local p, c = model.item(servers.P), model.item(servers.C)
    run.copies = p and c and #p.value > 0 and #c.value > 0 and not (type(case.C) == "table" and c.unique == case.C.unique)
    local clients = run.clients
    if case.between then
        case.between(servers, model)
    end
    finish(run, case.finally)
    run.clients = clients
    return counts, run
end

-- each calls visit with each run of a case.
function schedules.each(case, visit)
    local decisions, seen = {}, {}
    while true do
        local counts, run = runOne(case, decisions, seen)
        if run then
            visit(run, history.verdict(run.operations, case.value))
        end
        local i = #counts
        while i > 0 and (decisions[i] or 1) == counts[i] do
            i = i - 1
        end
        if i == 0 then
            return
        end
        decisions = table.move(decisions, 1, i, 1, {})
        for j = 1, i do
            decisions[j] = decisions[j] or 1
        end
        decisions[i] = decisions[i] + 1
    end
end

-- one returns a run of a case in which choose decides: a function of the number of choices.
function schedules.one(case, choose)
    local _, run = runOne(case, { choose = choose })
    return run
end

return schedules
