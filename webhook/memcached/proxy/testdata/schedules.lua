-- Runs every schedule of a case: which client's request is executed next, and where a proxy ends.
--
-- A case has clients (lists of {phase, command}), the items of P and C, and reads that follow one after the other. With
-- crash, the proxy of client 1 may end after any request, or its last request may arrive at any later time.
--
-- A schedule is not continued if another one has led to the same state: the servers, what each client has seen, and which
-- operations had finished when another one began. What follows, and what the check sees, is then the same. With exact, the
-- responses of the servers to operations that have finished count too.
local commands = dofile(DIRECTORY .. "commands.lua")
local proxies, history = commands.proxies, commands.history
local model = proxies.model
local schedules = { proxies = proxies, history = history, START = 1700000000000 }

local function copyOf(from)
    local copy = {}
    for key, value in pairs(from) do
        copy[key] = value
    end
    return copy
end

-- signature identifies the state of a run.
local function signature(run)
    local parts = { run.now, run.servers.P.state, run.servers.C.state }
    for _, client in ipairs(run.clients) do
        parts[#parts + 1] = client.log
        parts[#parts + 1] = client.step and client.step.id or "-"
        parts[#parts + 1] = client.asleep and (client.asleep == run.servers and "z" or "Z") or client.late and "late" or client.over and "over"
    end
    return table.concat(parts, "|")
end

-- A run is never modified, because several runs continue from it. changed returns a copy with a client that can be modified.
local function changed(run, i)
    run = copyOf(run)
    run.clients = copyOf(run.clients)
    run.clients[i] = copyOf(run.clients[i])
    model.now = run.now
    return run, run.clients[i]
end

-- operation returns the operation of a client, which can be modified.
local function operation(run, client)
    local i = client.operation
    run.operations = copyOf(run.operations)
    run.operations[i] = copyOf(run.operations[i])
    return run.operations[i]
end

-- reach lets a client do a step of its command, which is a request, a pause or the response.
local function reach(run, client, step)
    client.step, client.asleep = step, step.pause and run.servers or nil
    if not step.response then
        return
    end
    run.clock = run.clock + 1
    local o = operation(run, client)
    local outcome, unique = history.outcome(o.name, step.response)
    o.outcome, o.response, o.stop, client.step = outcome, step.response, run.clock, nil
    if unique then
        client.unique, client.known = unique, outcome:sub(2)
    end
    run.finished = run.finished .. client.name
    client.log = client.log .. "=" .. (run.exact and step.id or step.response)
end

local function start(case, run, client)
    local phase, name = table.unpack(client.script[client.next])
    local value = client.name .. client.next
    client.next, client.operation, run.clock = client.next + 1, #run.operations + 1, run.clock + 1
    run.operations = copyOf(run.operations)
    run.operations[client.operation] = { name = name, value = value, known = client.known or "5", start = run.clock, stop = math.huge,
        phase = phase, client = client.name }
    client.log = client.log .. " after " .. run.finished
    reach(run, client, commands.start(case.proxies[phase], name, value, client.unique or "7"))
end

-- change replaces a server. An equal one wakes nobody.
local function change(run, name, server)
    if server ~= run.servers[name] then
        run.servers = copyOf(run.servers)
        run.servers[name] = server
    end
end

local function execute(run, client)
    local step = client.step
    local text, server = model.serve(run.servers[step.server], step.request)
    change(run, step.server, server)
    run.trace = { before = run.trace, client = client.name, operation = run.operations[client.operation], request = step.request,
        server = step.server, text = text, late = client.late }
    return text
end

-- step returns the run after a step of a client.
local function step(case, run, i, how)
    local run, client = changed(run, i)
    if how == "arrive" then
        execute(run, client)
        client.late, client.over, client.step = nil, true, nil
        return run
    end
    if not client.step then
        start(case, run, client)
    end
    if client.asleep then
        if client.asleep == run.servers then -- nobody else can do anything: time passes
            model.now = model.now + math.ceil(client.step.pause * 1000)
            run.now = model.now
            change(run, "P", model.current(run.servers.P))
            change(run, "C", model.current(run.servers.C))
        end
        reach(run, client, commands.after(client.step, ""))
    elseif not client.step then
        return run
    elseif how == "late" then
        client.late, operation(run, client).crashed = true, true
    else
        local text = execute(run, client)
        if how == "crash" then
            client.over, client.step, operation(run, client).crashed = true, run.exact and client.step or nil, true
            run.trace = { before = run.trace, client = client.name }
        else
            reach(run, client, commands.after(client.step, text))
        end
    end
    return run
end

-- choices returns the steps that are possible next.
local function choices(run, case)
    local all, waiting = {}, {}
    for i, client in ipairs(run.clients) do
        if client.late then
            all[#all + 1] = { i, "arrive" }
        elseif client.asleep == run.servers then
            waiting[#waiting + 1] = { i }
        elseif not client.over and (client.step or client.next <= #client.script) then
            all[#all + 1] = { i }
            if case.crash and i == 1 and not client.asleep then
                all[#all + 1] = { i, "crash" }
                if client.step then
                    all[#all + 1] = { i, "late" }
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

local function newClient(name, script)
    return { name = tostring(name), script = script, next = 1, log = "" }
end

-- finished returns a run after the commands that follow one after the other.
local function finished(case, run)
    local p, c = run.servers.P.item, run.servers.C.item
    local copies = p and c and #p.value > 0 and #c.value > 0 and not (c.value ~= case.value and c == model.new(0, case.C).item)
    if case.between then
        run = copyOf(run)
        case.between(run, model)
    end
    for i, script in ipairs(case.finally) do
        run = copyOf(run)
        run.clients = { newClient(7 + i, { script }) }
        repeat
            run = step(case, run, 1)
        until not run.clients[1].step
    end
    run.copies = copies
    return run
end

local function begin(case)
    local run = { now = schedules.START, servers = { P = model.new(10, case.P), C = model.new(1000, case.C) }, clients = {}, operations = {},
        clock = 0, finished = "", exact = case.exact }
    for i, script in ipairs(case.clients) do
        run.clients[i] = newClient(i, script)
    end
    return run
end

-- each calls visit with each run of a case, and with what the check says about it.
function schedules.each(case, visit)
    local seen = {}
    local function explore(run)
        local all = choices(run, case)
        if #all == 0 then
            run = finished(case, run)
            visit(run, history.verdict(run.operations, case.value))
        end
        for _, choice in ipairs(all) do
            local next = step(case, run, table.unpack(choice))
            local key = signature(next)
            if not seen[key] then
                seen[key] = true
                explore(next)
            end
        end
    end
    explore(begin(case))
end

-- one returns a run of a case in which choose decides: a function of the number of choices.
function schedules.one(case, choose)
    local run = begin(case)
    local all = choices(run, case)
    while #all > 0 do
        run = step(case, run, table.unpack(all[choose(#all)]))
        all = choices(run, case)
    end
    return finished(case, run)
end

-- trace returns the executed requests of a run: the client, its operation, the request, the server and the response. Without an
-- operation, the proxy of the client ended.
function schedules.trace(run)
    local all, entry = {}, run.trace
    while entry do
        table.insert(all, 1, entry)
        entry = entry.before
    end
    return all
end

return schedules
