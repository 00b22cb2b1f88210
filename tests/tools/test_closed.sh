# soa compute with closures, and soa project, on the built-in hexapod.
. "$(dirname "$0")/expect.sh"

# Projected states close, and stay states for soa compute.
run 0 project builtin:hexapod --random 3 --seed 5 --out "$WORK/closed.json"
run 0 compute builtin:hexapod --what fd --states "$WORK/closed.json" --json
out_has '"closures"'
out_has '"wrench_on_a"'
out_has '"rank": 18'
out_has '"rows": 18'
out_has '"violation"'
err_empty
run 0 compute builtin:hexapod --what fd --states "$WORK/closed.json"
out_has "closures  rank 18 of 18 rows"
run 0 project builtin:hexapod --states "$WORK/closed.json"
out_has "18 rows of closures"

# Linear models, with the closures' forces of the same states.
run 0 compute builtin:hexapod --what linear --states "$WORK/closed.json" --step 0.01 --json
out_has '"dvdot_dtau"'
out_has '"Ad"'
out_has '"rank": 18'
err_empty
run 0 compute builtin:hexapod --what linear --states "$WORK/closed.json" --open --json
out_lacks '"rank"'
err_has "linear: closures are left open"

# The tree alone, if that is wanted.
run 0 compute builtin:hexapod --what fd:1 --states "$WORK/closed.json" --open --json
out_lacks '"closures"'
err_has "closures are left open"

# Refused.
run 2 compute builtin:hexapod --what fd:3 --random 1
err_has "ask for 'fd', or give '--open'"
run 1 compute builtin:hexapod --what fd --from nowhere
err_has "no configuration 'nowhere'"
run 2 project builtin:hexapod --random 1 --metric miles
err_has "write mass or identity"
run 2 project builtin:hexapod --random 1 --tolerance -1
err_has "give a positive number"
run 2 project builtin:hexapod
err_has "give either"
run 0 project builtin:arm7 --random 1
err_has "the model has no closures"
run 0 compute builtin:quadruped --what fd --from stand

done_testing
