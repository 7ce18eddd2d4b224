# Commands and raw bytes among the inputs: what is wrong is named by its whole path, and what is empty may be left out.
. "$LIB"
line() {
    printf '{"tick":0,%s}\n' "$1" > i.jsonl
    timed run --world runner --inputs i.jsonl | sed 's/ (.*//'
}
command() {
    line "\"commands\":[{\"source\":\"host\",$1}]"
}
line '"slots":[{"slot":0,"hex":"ff"}]'
line '"slots":[{"slot":0,"hex":"07"}]'
command '"type":"speed","fields":{"percent":12000}'
command '"type":"speed","fields":{"percent":100,"percent":100}'
command '"type":"speed","fields":{"parcent":100}'
command '"type":"speed","fields":100'
command '"type":"speed","hex":"ffff"'
command '"type":"speed","hex":"64000000"'
command '"type":"speed","hex":"6400"'
command '"type":"bonus","hex":"000000000000ff00"'
command '"type":"halt","fields":{"a":1}'
command '"type":"halt","fields":[]'
command '"type":"halt","fields":{}'
command '"type":"halt"'
command '"type":"halt","hex":""'
some() {
    line "\"commands\":[$(yes '{"source":"host","type":"speed","hex":"6400"}' | head -n "$1" | paste -sd ,)]"
}
some 256
some 257
