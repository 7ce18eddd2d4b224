# Join tokens and secured datagrams, from the keys to the room: who may come in comes in once, and whoever else hears why not.
. "$LIB"
. "$(dirname "$LIB")/serving.sh"
keyless() { sed -e 's/[0-9a-f]\{64\}/KEY/g' -e 's/good \(from\|until\): [0-9]*/good \1: N/' -e 's/127.0.0.1:[0-9]*/HOST/g' -e 's/joined at.*/joined/'; }
for key in host client thief issuer; do t keygen -o $key > /dev/null; done

echo "== refused"
t token --key issuer.key --room arena --server eu-1
t token --key issuer.key --room arena --server eu-1 --client client.key
t token --key issuer.pub --room arena --server eu-1 --client client.pub
t token --key issuer.key --room 'a b' --server eu-1 --client client.pub
t token --key issuer.key --room arena --server eu-1 --client client.pub --expires 25h
t token --key issuer.key --room arena --server eu-1 --client client.pub --slots 2 --watch
t token --key issuer.key --room arena --server eu-1 --client client.pub --slot 1 --slot 1
t token --key issuer.key --room arena --server eu-1 --client client.pub operand
echo 'bm8' > no.token
t token --inspect no.token
echo 'no token' > no.token
t token --inspect no.token
t join --server-key host.pub 127.0.0.1:1
t join --udp --client-key client.key 127.0.0.1:1
t join --udp --server-key host.key 127.0.0.1:1

echo "== a server that is told half"
"$TICKPROOFD" --live arena=fighter --udp 0.0.0.0:0 --check-config 2>&1
"$TICKPROOFD" --live arena=fighter --udp-key host.key --check-config 2>&1
"$TICKPROOFD" --live arena=fighter --token-issuer issuer.pub --check-config 2>&1
"$TICKPROOFD" --live arena=fighter --token-issuer issuer.pub --token-server eu-1 --tokens never --check-config 2>&1
"$TICKPROOFD" --live arena=fighter --udp 0.0.0.0:0 --udp-key host.pub --check-config 2>&1 | sed 's/(mode [0-9]*)/(mode N)/'

issue() {
    name=$1
    shift
    "$TICKPROOF" token --key issuer.key --room arena --server eu-1 --server eu-2 --client client.pub "$@" > $name.token
}
play() { "$TICKPROOF" join --room arena --ticks 30 "$@" 2>&1 | keyless; }
secured() { play --udp --server-key host.pub "$@" $DATAGRAMS; }

echo "== a token"
issue slots --slot 3 --slot 1 --expires 2m
t token --inspect slots.token | keyless
issue watcher --watch
t token --inspect - < watcher.token | keyless
issue early --from 1h
"$TICKPROOF" token --key thief.key --room arena --server eu-1 --client client.pub > forged.token
"$TICKPROOF" token --key issuer.key --room arena --server us-1 --client client.pub > elsewhere.token
"$TICKPROOF" token --key issuer.key --room other --server eu-1 --client client.pub > otherroom.token

echo "== at the server"
serve --live arena=fighter,players=4,when_empty=run --udp 127.0.0.1:0 --udp-key host.key --token-issuer issuer.pub --token-server eu-1
issue one
for token in early forged elsewhere otherroom; do secured --bot --client-key client.key --token $token.token; done
secured --bot
secured --bot --token one.token
secured --bot --client-key thief.key --token one.token
secured --bot --client-key client.key --token one.token
secured --bot --client-key client.key --token one.token
secured --bot --players 2 --client-key client.key --token slots.token
secured --watch --client-key client.key --token watcher.token
issue tcp
play --bot --token tcp.token $HOST
play --bot --udp --connect-timeout 1 $DATAGRAMS
play --bot --udp --connect-timeout 1 --server-key thief.pub $DATAGRAMS
stop
